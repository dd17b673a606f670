/* The total of a list. Violated with the inputs 3, 2000000000, 100000000, 100000000. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };

int main(void) {
    struct node *head = 0;
    int length = __VERIFIER_nondet_int(), total = 0;
    if (length < 0 || length > 3) return 0;
    for (int i = 0; i < length; i++) {
        struct node *made = malloc(sizeof *made);
        if (!made) return 0;
        made->value = __VERIFIER_nondet_int();
        if (made->value < 0) made->value = 0;
        made->next = head;
        head = made;
    }
    while (head) {
        struct node *next = head->next;
        total += head->value;
        free(head);
        head = next;
    }
    return total < 0;
}
