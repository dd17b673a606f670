// Correct: whatever is transferred between two accounts, their sum stays what it was. account.c has the functions.
#include <assert.h>

#include "account.h"

extern unsigned __VERIFIER_nondet_uint(void);

static void transfer(struct account *from, struct account *to, unsigned amount) {
  if (withdraw(from, amount))
    deposit(to, amount);
}

int main(void) {
  struct account a = {START}, b = {START};
  transfer(&a, &b, __VERIFIER_nondet_uint());
  transfer(&b, &a, __VERIFIER_nondet_uint());
  assert(a.balance + b.balance == 2u * START);
  return 0;
}
