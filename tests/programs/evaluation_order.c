// expected: FALSE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int less(int a, int b) { return a < b; }

int main(void) {
  if (less(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()))
    reach_error();
  return 0;
}
