#ifndef ACCOUNT_H
#define ACCOUNT_H

struct account {
  unsigned balance; // in cents
};

int withdraw(struct account *from, unsigned amount);
void deposit(struct account *to, unsigned amount);

#endif
