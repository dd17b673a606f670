// expected: FALSE
// Nothing sets x before it is compared.
extern void reach_error(void);

int main(void) {
  int x;
  if (x == 5)
    reach_error();
  return 0;
}
