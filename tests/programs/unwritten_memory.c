// expected: FALSE
// Needs locals of all kinds, and allocated memory, that are not zero at first, nor the same each time.
extern void reach_error(void);
extern void *malloc(unsigned long);
extern struct pair { char c; long n; } *get_pair(void);

static int is_set(int round, int *before) {
  register int scalar __attribute__((unused)), other;
  int array[4], *pointer, count = 3;
  struct pair pair;
  double number;
  short variable[count];
  char *allocated = malloc(8), *in_frame = __builtin_alloca(8);
  struct pair *external = get_pair();
  int differs = scalar != *before;
  *before = scalar;
  if (external == 0 || allocated == 0)
    return 0;
  for (int head, last = 1; last; last--)
    if (head == other)
      return 0;
  return differs && array[1] != array[2] && pair.n != 0 && pointer != 0 && number != 0 && variable[2] != 0 && *allocated != 0 &&
         *in_frame != 0 && external->n != 0;
}

int main(void) {
  int before = 0;
  for (int round = 0; round < 3; round++)
    if (!is_set(round, &before))
      return 0;
  reach_error();
  return 0;
}
