/* The least key of a tree that may be empty. Violated with the inputs 0. */
extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };

static int least(const struct tree *at) {
    while (at->left) at = at->left;
    return at->key;
}

int main(void) {
    struct tree low = { 1, 0, 0 }, high = { 9, 0, 0 }, root = { 5, &low, &high };
    int which = __VERIFIER_nondet_int();
    const struct tree *chosen = which > 5 ? &root : which > 0 ? root.right : low.left;
    return least(chosen) == 1;
}
