/* A list is taken apart. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };

int main(void) {
    struct node *head = 0;
    int length = __VERIFIER_nondet_int();
    if (length > 4) return 0;
    for (int i = 0; i < length; i++) {
        struct node *made = malloc(sizeof *made);
        if (!made) abort();
        made->next = head;
        made->value = i;
        head = made;
    }
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
