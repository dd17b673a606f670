/* Of a list, the nodes behind the first. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };

int main(void) {
    struct node *head = 0;
    int length = __VERIFIER_nondet_int();
    if (length < 0 || length > 3) return 0;
    for (int i = 0; i < length; i++) {
        struct node *made = malloc(sizeof *made);
        if (!made) abort();
        made->next = head;
        head = made;
    }
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
