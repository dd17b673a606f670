/* <stdlib.h>: exit handlers. Exact, for as many as the standard promises. The front end runs them where `exit` is called and
 * where `main` returns. */
#define MOST 32

void __drystone_refuse(const char *what);

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
    __drystone_refuse("more than 32 exit handlers");
    __drystone_run_handlers(); /* never called here: a program that has handlers has this function, too */
  }
  handlers[count] = handler;
  count++;
  return 0;
}
