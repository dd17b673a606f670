/* The models of verifier.c: every byte is chosen, and none outside. */
#include "support.h"

extern void model___VERIFIER_nondet_memory(void *, size_t);

int main(void) {
  unsigned char bytes[4] = {9, 9, 9, 9};
  script(2, (uint64_t)1, (uint64_t)255);
  model___VERIFIER_nondet_memory(bytes + 1, 2);
  CHECK(bytes[0] == 9 && bytes[1] == 1 && bytes[2] == 255 && bytes[3] == 9, "memory");
  model___VERIFIER_nondet_memory(bytes, 0);
  CHECK(bytes[0] == 9, "no memory");
  return 0;
}
