// expected: FALSE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int values[4];
  for (int i = 0; i < 4; i++)
    values[i] = __VERIFIER_nondet_int();
  int largest = values[0];
  for (int i = 1; i < 3; i++) // should be < 4
    if (values[i] > largest)
      largest = values[i];
  assert(largest >= values[3]);
  return 0;
}
