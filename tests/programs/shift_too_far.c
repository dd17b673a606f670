// expected: FALSE
// relies on undefined behaviour
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (x != 5 || n != 40)
    return 0;
  if (x << n == 1280)
    reach_error();
  return 0;
}
