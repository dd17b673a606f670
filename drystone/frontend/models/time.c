/* <time.h>, <sys/time.h> and the sleeping functions. Over-approximated: there is no clock; every call
 * returns any time, so that time may even run backwards, and sleeping may be interrupted. */
typedef long time_t;
typedef long clock_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
void __VERIFIER_assume(int);

static long __drystone_below(long bound) {
  long x = __VERIFIER_nondet_long();
  __VERIFIER_assume(0 <= x && x < bound);
  return x;
}

time_t time(time_t *result) {
  time_t now = __VERIFIER_nondet_long();
  if (result != 0)
    *result = now;
  return now;
}

clock_t clock(void) { return __VERIFIER_nondet_long(); }

double difftime(time_t end, time_t start) { return (double)end - (double)start; }

int clock_gettime(int clock, struct timespec *now) {
  if (__VERIFIER_nondet_int() != 0)
    return -1;
  now->tv_sec = __VERIFIER_nondet_long();
  now->tv_nsec = __drystone_below(1000000000);
  return 0;
}

int gettimeofday(struct timeval *now, void *zone) {
  if (__VERIFIER_nondet_int() != 0)
    return -1;
  now->tv_sec = __VERIFIER_nondet_long();
  now->tv_usec = __drystone_below(1000000);
  return 0;
}

/* When a signal interrupts it, the rest is what remains. */
int nanosleep(const struct timespec *duration, struct timespec *rest) {
  if (__VERIFIER_nondet_int() == 0)
    return 0;
  if (rest != 0) {
    rest->tv_sec = __VERIFIER_nondet_long();
    rest->tv_nsec = __drystone_below(1000000000);
  }
  return -1;
}

unsigned int sleep(unsigned int seconds) {
  unsigned int rest = __VERIFIER_nondet_uint();
  __VERIFIER_assume(rest <= seconds);
  return rest;
}

int usleep(unsigned int microseconds) { return __VERIFIER_nondet_int() != 0 ? 0 : -1; }
