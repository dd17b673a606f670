// Correct: the sum of the first n numbers is n * (n + 1) / 2.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned sum_to(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 1; i <= n; i++)
    sum += i;
  return sum;
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 8;
  assert(sum_to(n) == n * (n + 1) / 2);
  return 0;
}
