/* <stdlib.h>: exit handlers. Exact, for as many as the standard promises. The front end runs them where `exit` is called and
 * where `main` returns. */
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

int atexit(void (*handler)(void)) {
  if (count == MOST) {
    REFUSE("more than 32 exit handlers");
    __drystone_run_handlers(); /* never called here: a program that has handlers has this function, too */
  }
  handlers[count] = handler;
  count++;
  return 0;
}
