// expected: FALSE
// A sum of two numbers below a million is never negative, but one of three large ones is: integers wrap around.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a > 0 && b > 0 && a + b < 0)
    reach_error();
  return 0;
}
