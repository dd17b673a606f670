/* The node at a position. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };

int main(void) {
    struct node last = { 0, 3 }, first = { &last, 5 }, *walk = &first;
    int position = __VERIFIER_nondet_int();
    if (position < 0 || position > 2) return 0;
    while (position > 0 && walk->next) {
        walk = walk->next;
        position--;
    }
    return walk->value == 5;
}
