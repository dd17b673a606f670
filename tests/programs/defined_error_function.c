// expected: FALSE
void reach_error() {}
extern char __VERIFIER_nondet_char(void);

int main() {
  char c = __VERIFIER_nondet_char();
  if (c < 0)
    reach_error();
  return 0;
}
