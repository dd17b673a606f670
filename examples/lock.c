// Correct, for any number of requests: a lock that is taken and released on the way through a loop, as in device drivers.
// Blocks between loop heads tell each other what they need to know: the lock is free whenever the loop starts again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int locked = 0;

static void lock(void) {
  if (locked)
    reach_error();
  locked = 1;
}

static void unlock(void) {
  if (!locked)
    reach_error();
  locked = 0;
}

int main(void) {
  unsigned requests, handled;
  do {
    lock();
    handled = requests = __VERIFIER_nondet_int();
    if (requests > 0) {
      unlock();
      handled++;
    }
  } while (requests != handled);
  unlock();
  return 0;
}
