/* A search tree: where a key goes. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };

static struct tree *leaf(int key) {
    struct tree *made = malloc(sizeof *made);
    if (!made) abort();
    made->key = key;
    made->left = made->right = 0;
    return made;
}

static void insert(struct tree *at, struct tree *new) {
    while (at) {
        struct tree **side = new->key < at->key ? &at->left : &at->right;
        if (!*side) {
            *side = new;
            return;
        }
        at = *side;
    }
}

static void drop(struct tree *at) {
    if (!at) return;
    drop(at->left);
    drop(at->right);
    free(at);
}

int main(void) {
    struct tree *root = leaf(__VERIFIER_nondet_int());
    insert(root, leaf(__VERIFIER_nondet_int()));
    drop(root);
    return 0;
}
