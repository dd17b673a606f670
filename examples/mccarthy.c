// Correct: McCarthy's function, which calls itself twice, and deeper the smaller n is. Inlining its calls does not end;
// the proof is a contract of the function: whatever n is, the result is 91 if n <= 100, and n - 10 otherwise.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int f(int n) {
  if (n > 100)
    return n - 10;
  return f(f(n + 11));
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 100)
    assert(f(n) == 91);
  return 0;
}
