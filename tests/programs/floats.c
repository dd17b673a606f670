// expected: FALSE
// Adding one does not always change a number.
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x == x && x - x == 0 && x + 1 == x)
    reach_error();
  return 0;
}
