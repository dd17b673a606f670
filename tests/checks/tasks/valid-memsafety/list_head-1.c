/* A node is taken off a list, but not given back. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static struct node *head;

static void push(int value) {
    struct node *made = malloc(sizeof *made);
    if (!made) abort();
    made->value = value;
    made->next = head;
    head = made;
}

static int pop(void) {
    struct node *first = head;
    if (!first) return -1;
    int value = first->value;
    head = first->next;
    free(first);
    return value;
}

int main(void) {
    int count = __VERIFIER_nondet_int();
    if (count < 0 || count > 3) return 0;
    for (int i = 0; i < count; i++) push(i);
    for (int i = 0; i < count; i++) pop();
    return 0;
}
