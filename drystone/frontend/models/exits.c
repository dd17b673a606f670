/* <stdlib.h>: exit handlers. Exact, for as many as the standard promises. The front end runs them where `exit` is called and
 * where `main` returns.
 *
 * And whether the program goes on at all (MAY_NOT_RETURN): asked here, in a function that has no choices of its own, so that an
 * execution depends on the answer. */
#include "effects.h"

#define MOST 32

static void (*handlers[MOST])(void);
static int count;

void __drystone_run_handlers(void) {
  while (count > 0) {
    count--;
    handlers[count]();
  }
}

void __drystone_goes_on(unsigned char does) { __VERIFIER_assume(does != 0); }

int atexit(void (*handler)(void)) {
  if (count == MOST) {
    REFUSE("more than 32 exit handlers");
    __drystone_run_handlers(); /* never called here: a program that has handlers has this function, too */
  }
  handlers[count] = handler;
  count++;
  return 0;
}
