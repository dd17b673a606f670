// Correct: every element of a large array is set to a value, so whichever element is looked at afterwards has it.
// The proof looks at one element, at an index that is chosen arbitrarily: what holds for it holds for all.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define SIZE 100000

static int a[SIZE];

int main(void) {
  int value = __VERIFIER_nondet_int();
  for (int i = 0; i < SIZE; i++)
    a[i] = value;
  int k = __VERIFIER_nondet_int();
  if (k >= 0 && k < SIZE && a[k] != value)
    reach_error();
  return 0;
}
