/* The models of time.c: what the real clock says is among what the model allows; calendars agree. */
#define _GNU_SOURCE
#include "support.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

MODEL(time); MODEL(clock); MODEL(difftime); MODEL(clock_gettime); MODEL(nanosleep); MODEL(sleep); MODEL(usleep);
MODEL(timespec_get); MODEL(clock_getres); MODEL(clock_settime); MODEL(clock_nanosleep); MODEL(gmtime_r); MODEL(gmtime);
MODEL(localtime_r); MODEL(localtime); MODEL(mktime); MODEL(timegm); MODEL(timelocal); MODEL(asctime); MODEL(ctime);
MODEL(asctime_r); MODEL(ctime_r); MODEL(strftime); MODEL(tzset); MODEL(settimeofday); MODEL(utimes);
extern int model_gettimeofday(struct timeval *, void *);

static void check_clock(void) {
  time_t now = time(NULL), stored = 0;
  script(1, (uint64_t)now);
  CHECK(RUNS(model_time(&stored)) && stored == now, "time");
  script(1, (uint64_t)5);
  CHECK(RUNS(stored = model_time(NULL)) && stored == 5, "time");
  CHECK(model_difftime(now, 1) == difftime(now, 1), "difftime");
  struct timespec t = {7, 7};
  script(2, (uint64_t)3, (uint64_t)999999999);
  CHECK(RUNS(model_clock_gettime(CLOCK_REALTIME, &t)) && t.tv_sec == 3 && t.tv_nsec == 999999999, "clock_gettime");
  script(2, (uint64_t)3, (uint64_t)1000000000);
  CHECK(!RUNS(model_clock_gettime(CLOCK_REALTIME, &t)), "clock_gettime beyond a second");
  struct timespec got = {-1, -1};
  CHECK(timespec_get(&got, TIME_UTC) == TIME_UTC && timespec_get(&t, 7) == 0 && model_timespec_get(&t, 7) == 0, "timespec_get");
  script(2, (uint64_t)got.tv_sec, (uint64_t)got.tv_nsec);
  CHECK(RUNS(model_timespec_get(&t, TIME_UTC)) && t.tv_sec == got.tv_sec && t.tv_nsec == got.tv_nsec, "timespec_get");
  struct timeval v = {7, 7};
  script(2, (uint64_t)3, (uint64_t)4);
  CHECK(RUNS(model_gettimeofday(&v, NULL)) && v.tv_sec == 3 && v.tv_usec == 4, "gettimeofday");
  static const int clocks[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, 99};
  int which = clocks[random_below(3)];
  struct timespec pause = {0, random_below(3) ? random_below(1000) : -1}, rest = {0, -1};
  watch(&t, sizeof t);
  watch(&rest, sizeof rest);
  ALLOWS(clock_gettime, which, &t);
  ALLOWS(nanosleep, &pause, &rest);
  ALLOWS(nanosleep, &pause, NULL);
  ALLOWS(usleep, 3);
  ALLOWS(sleep, 0);
  unwatch();
  ALLOWS(clock);
}

static int random_member(void) { return random_below(3) ? random_below(70) : (int)(random_bits() >> (40 + random_below(24))) * (random_below(2) ? 1 : -1); }

static void check_calendar(void) {
  time_t t = (time_t)((int64_t)random_bits() >> random_below(60));
  struct tm e = {.tm_zone = ""}, r = {.tm_zone = ""};
  struct tm *known = gmtime_r(&t, &e), *found = NULL;
  if (RUNS(found = model_gmtime_r(&t, &r))) {
    CHECK((known == NULL) == (found == NULL), "gmtime_r(%lld)", (long long)t);
    if (known != NULL) {
      CHECK(e.tm_sec == r.tm_sec && e.tm_min == r.tm_min && e.tm_hour == r.tm_hour && e.tm_mday == r.tm_mday && e.tm_mon == r.tm_mon,
            "gmtime_r(%lld): %d-%d", (long long)t, r.tm_mon, r.tm_mday);
      CHECK(e.tm_year == r.tm_year && e.tm_wday == r.tm_wday && e.tm_yday == r.tm_yday && e.tm_isdst == r.tm_isdst, "gmtime_r(%lld)",
            (long long)t);
      CHECK(e.tm_gmtoff == r.tm_gmtoff && strcmp(e.tm_zone, r.tm_zone) == 0, "gmtime_r(%lld)", (long long)t);
      CHECK(model_gmtime(&t)->tm_yday == e.tm_yday, "gmtime(%lld)", (long long)t);
    }
  }
  struct tm tm = {.tm_sec = random_member(), .tm_min = random_member(), .tm_hour = random_member(), .tm_mday = random_member(),
                  .tm_mon = random_member(), .tm_year = random_member(), .tm_isdst = random_below(3) - 1};
  struct tm valid = {.tm_sec = random_below(61), .tm_min = random_below(60), .tm_hour = random_below(24), .tm_mday = 1 + random_below(31),
                     .tm_mon = random_below(12), .tm_year = random_below(9999) - 1900, .tm_wday = random_below(7), .tm_yday = random_below(366)};
  char text[64];
  memset(text, random_below(256), sizeof text);
  watch(&tm, sizeof tm);
  watch(text, sizeof text);
  struct tm again = tm;
  ALLOWS(mktime, &tm);
  tm = again;
  ALLOWS(timelocal, &tm);
  tm = again;
  ALLOWS(timegm, &tm);
  ALLOWS(localtime_r, &t, &tm);
  ALLOWS(localtime, &t);
  ALLOWS(asctime, &valid);
  ALLOWS(asctime_r, &valid, text);
  t = random_below(2000000000);
  ALLOWS(ctime, &t);
  ALLOWS(ctime_r, &t, text);
  size_t n = (size_t)random_below(40);
  static const char *formats[] = {"%Y-%m-%d", "%H:%M", "%A %B", "", "%%", "%c"};
  const char *format = formats[random_below(6)];
  ALLOWS(strftime, text, n, format, &valid);
  unwatch();
  ALLOWS_VOID(tzset);
}

static void check_system(void) {
  static const int clocks[] = {-1, CLOCK_REALTIME, CLOCK_MONOTONIC, 99}; /* those that go on while the program sleeps */
  int which = clocks[random_below(4)];
  struct timespec time = {0, random_below(3) ? 1000 : -1}, rest = {0, 0};
  struct timeval times[2] = {{-1, -1}, {-1, -1}};
  watch(&rest, sizeof rest);
  ALLOWS(clock_getres, which, &rest);
  ALLOWS(clock_getres, which, NULL);
  ALLOWS(clock_nanosleep, which, 0, &time, &rest);
  ALLOWS(clock_settime, 99, &time);
  ALLOWS(settimeofday, times, NULL);
  ALLOWS(utimes, "/nowhere/at/all", times);
  unwatch();
}

int main(void) {
  for (int zone = 0; zone < 3; zone++) {
    setenv("TZ", zone == 0 ? "UTC" : zone == 1 ? "CET-1CEST,M3.5.0,M10.5.0/3" : "XYZ11", 1);
    tzset();
    for (int round = 0; round < 700; round++)
      check_calendar();
  }
  for (int round = 0; round < 200; round++) {
    check_clock();
    check_system();
  }
  return 0;
}
