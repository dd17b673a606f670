/* A tree is taken apart on one side only. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right; };

static struct tree *made(void) {
    struct tree *node = calloc(1, sizeof *node);
    if (!node) abort();
    return node;
}

static void drop(struct tree *at) {
    if (!at) return;
    drop(at->left);
    drop(at->right);
    free(at);
}

int main(void) {
    struct tree *root = made();
    root->left = made();
    if (__VERIFIER_nondet_int()) root->right = made();
    drop(root);
    return 0;
}
