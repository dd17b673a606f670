/* The key below a node of a tree, by the side. */
extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };

int main(void) {
    struct tree leaf = { 0, 0, 0 }, root = { 0, &leaf, 0 };
    root.key = __VERIFIER_nondet_int();
    if (root.left && root.key < 0) root.left->key = root.key + 1;
    return root.left->key == 5;
}
