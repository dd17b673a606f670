// How to verify a function that has no main: a driver calls it with all arguments that its callers may give it.
// The driver itself is main here; `drystone verify --entry average` would start in `average`, with any arguments.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

// Buggy: the sum does not fit into an unsigned int for large numbers.
static unsigned average(unsigned a, unsigned b) { return (a + b) / 2; }

int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  __VERIFIER_assume(a <= b); // the precondition
  unsigned result = average(a, b);
  assert(a <= result && result <= b); // the postcondition
  return 0;
}
