/* Two lists share a node. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };

static struct node *made(struct node *next) {
    struct node *node = malloc(sizeof *node);
    if (!node) abort();
    node->next = next;
    return node;
}

int main(void) {
    struct node *shared = made(0), *a = made(shared), *b = made(shared);
    int first = __VERIFIER_nondet_int();
    free(a);
    if (first) {
        free(shared);
        b->next = 0;
    }
    free(b->next);
    free(b);
    return 0;
}
