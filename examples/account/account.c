// One of the two files of a program: what can be done with an account.
#include "account.h"

int withdraw(struct account *from, unsigned amount) {
  if (amount > from->balance)
    return 0;
  from->balance -= amount;
  return 1;
}

void deposit(struct account *to, unsigned amount) { to->balance += amount; }
