/* The model of atexit: handlers run last one first, each once; those that a handler adds run next. */
#include "support.h"

#include <string.h>

MODEL(atexit);
void model___drystone_run_handlers(void);

static char order[64];
static void a(void) { strcat(order, "a"); }
static void b(void) { strcat(order, "b"); }
static void c(void) {
  strcat(order, "c");
  model_atexit(a);
}

int main(void) {
  model_atexit(a);
  model_atexit(b);
  model_atexit(c);
  model_atexit(b);
  model___drystone_run_handlers();
  CHECK(strcmp(order, "bcaba") == 0, "%s", order);
  model___drystone_run_handlers();
  CHECK(strcmp(order, "bcaba") == 0, "%s", order);
  for (int i = 0; i < 32; i++)
    CHECK(RUNS(model_atexit(a)), "as many as the standard promises");
  CHECK(!RUNS(model_atexit(a)), "more are not modelled");
  return 0;
}
