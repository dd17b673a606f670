// Buggy: `push` lets one element too many in, and the element beyond the last is `top` itself.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define SIZE 4

struct stack {
  int items[SIZE];
  int top;
};

static int push(struct stack *s, int item) {
  if (s->top > SIZE) // should be >=
    return 0;
  *(&s->items[0] + s->top) = item;
  s->top++;
  return 1;
}

int main(void) {
  struct stack s = {.top = 0};
  for (int i = 0; i < SIZE + 1; i++)
    push(&s, __VERIFIER_nondet_int());
  if (s.top < 0)
    reach_error();
  return 0;
}
