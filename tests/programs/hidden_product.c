// expected: FALSE
// execute: UNKNOWN
// No constant of the program is a factor: only a solver finds 48611 * 41647.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  if (x > 40000 && x < 50000 && y > 40000 && y < x && x * y == 2024502317u)
    reach_error();
  return 0;
}
