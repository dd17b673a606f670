// expected: TRUE
// execute: TRUE
// The error is behind an endless loop that nothing leaves: there is nothing to prove.
extern void reach_error(void);

int main(void) {
  unsigned i = 0;
  while (1)
    i++;
  reach_error();
  return 0;
}
