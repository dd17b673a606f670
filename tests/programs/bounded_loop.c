// expected: TRUE
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 8, sum = 0;
  for (unsigned i = 1; i <= n; i++)
    sum += i;
  if (sum != n * (n + 1) / 2)
    reach_error();
  return 0;
}
