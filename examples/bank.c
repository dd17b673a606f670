// Two deposits in a row. The check at the end holds for most inputs, not for all: 70,60 breaks it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int balance = 0;

static void deposit(int amount) {
  if (amount > 0 && amount <= 100)
    balance = balance + amount;
}

int main(void) {
  deposit(__VERIFIER_nondet_int());
  deposit(__VERIFIER_nondet_int());
  if (balance > 120)
    reach_error();
  return 0;
}
