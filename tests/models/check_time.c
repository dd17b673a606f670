/* The models of time.c: what the real clock says is among what the model allows. */
#define _GNU_SOURCE
#include "support.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

MODEL(time); MODEL(clock); MODEL(difftime); MODEL(clock_gettime); MODEL(nanosleep); MODEL(sleep); MODEL(usleep);
extern int model_gettimeofday(struct timeval *, void *);

int main(void) {
  time_t now = time(NULL), stored = 0;
  script(1, (uint64_t)now);
  CHECK(model_time(&stored) == now && stored == now, "time");
  script(1, (uint64_t)5);
  CHECK(model_time(NULL) == 5, "time");
  script(1, (uint64_t)clock());
  model_clock();
  CHECK(model_difftime(now, 1) == difftime(now, 1), "difftime");
  struct timespec t = {7, 7};
  script(3, (uint64_t)0, (uint64_t)3, (uint64_t)999999999);
  CHECK(RUNS(model_clock_gettime(CLOCK_REALTIME, &t)) && t.tv_sec == 3 && t.tv_nsec == 999999999, "clock_gettime");
  script(3, (uint64_t)0, (uint64_t)3, (uint64_t)1000000000);
  CHECK(!RUNS(model_clock_gettime(CLOCK_REALTIME, &t)), "clock_gettime beyond a second");
  struct timeval v = {7, 7};
  script(3, (uint64_t)0, (uint64_t)3, (uint64_t)4);
  CHECK(RUNS(model_gettimeofday(&v, NULL)) && v.tv_sec == 3 && v.tv_usec == 4, "gettimeofday");
  script(1, (uint64_t)0);
  t.tv_nsec = -1;
  CHECK(model_nanosleep(&t, &t) == 0 && t.tv_nsec == -1, "nanosleep leaves the rest alone");
  script(3, (uint64_t)1, (uint64_t)3, (uint64_t)4);
  CHECK(model_nanosleep(&t, &t) == -1 && t.tv_nsec == 4, "nanosleep interrupted");
  unsigned rest = 9;
  script(1, (uint64_t)2);
  CHECK(RUNS(rest = model_sleep(2)) && rest == 2, "sleep");
  script(1, (uint64_t)3);
  CHECK(!RUNS(model_sleep(2)), "sleep longer than asked");
  script(1, (uint64_t)1);
  CHECK(model_usleep(3) == 0, "usleep");
  return 0;
}
