/* A node is taken out of a list that is linked both ways. Violated with the inputs 1. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *before, *after; int key; };

static void take_out(struct node *node) {
    node->before->after = node->after;
    if (node->after) node->after->before = node->before;
}

int main(void) {
    struct node nodes[3];
    for (int i = 0; i < 3; i++) {
        nodes[i].before = i > 0 ? &nodes[i - 1] : 0;
        nodes[i].after = i < 2 ? &nodes[i + 1] : 0;
        nodes[i].key = i;
    }
    int key = __VERIFIER_nondet_int();
    if (key < 1 || key > 3) return 0;
    take_out(&nodes[key - 1]);
    return 0;
}
