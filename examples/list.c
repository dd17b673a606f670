// Correct: a list on the heap, in which every element goes to its place; so the list is sorted.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

static void insert(struct node **place, int value) {
  while (*place && (*place)->value < value)
    place = &(*place)->next;
  struct node *node = malloc(sizeof *node);
  if (!node)
    abort();
  node->value = value;
  node->next = *place;
  *place = node;
}

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 3; i++)
    insert(&list, __VERIFIER_nondet_int());
  for (struct node *node = list; node->next; node = node->next)
    assert(node->value <= node->next->value);
  return 0;
}
