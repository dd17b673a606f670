// Correct: a list on the heap, given back in the end; the last element of a list is the first one of the reversed list.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

static struct node *push(struct node *list, int value) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    abort();
  node->value = value;
  node->next = list;
  return node;
}

static struct node *reverse(struct node *list) {
  struct node *reversed = NULL;
  while (list) {
    struct node *next = list->next;
    list->next = reversed;
    reversed = list;
    list = next;
  }
  return reversed;
}

int main(void) {
  int first = __VERIFIER_nondet_int();
  struct node *list = push(NULL, first);
  for (int i = 0; i < 3; i++)
    list = push(list, __VERIFIER_nondet_int());
  list = reverse(list);
  assert(list->value == first);
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return 0;
}
