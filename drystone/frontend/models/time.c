/* <time.h>, <sys/time.h> and the sleeping functions.
 *
 * There is no clock: every call that asks for the time gets any time, so that it may even run backwards. Exact: difftime, gmtime, gmtime_r (in the years that fit), sleep, usleep, nanosleep. Effects: other clocks, what depends on
 * the time zone (localtime, mktime, whose members keep their ranges) or makes text. */
#include "effects.h"

#include <sys/time.h>
#include <time.h>

#define EINVAL 22
int *__errno_location(void);
long __VERIFIER_nondet_long(void);

static long __drystone_below(long bound) {
  long x = __VERIFIER_nondet_long();
  __VERIFIER_assume(0 <= x && x < bound);
  return x;
}

/* Of the wall clock: Linux counts nanoseconds in 63 bits, which is enough for about so many times 2^16 seconds. */
#define IS_TIME(seconds) ((seconds) >= 0 && (seconds) >> 16 < 140738)

time_t time(time_t *result) {
  time_t now = __VERIFIER_nondet_long();
  __VERIFIER_assume(IS_TIME(now));
  if (result != 0)
    *result = now;
  return now;
}

clock_t clock(void) { RESULT(clock_t, 1); }

double difftime(time_t end, time_t start) { return (double)end - (double)start; }

/* Other clocks than the wall clock cannot be set: what they say is determined. */
int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_REALTIME) {
    WRITES_OBJECT(now);
    SETS_ERRNO;
    RESULT(int, result == -1 || (result == 0 && now->tv_sec >= 0 && 0 <= now->tv_nsec && now->tv_nsec < 1000000000));
  }
  now->tv_sec = __VERIFIER_nondet_long();
  now->tv_nsec = __drystone_below(1000000000);
  __VERIFIER_assume(IS_TIME(now->tv_sec));
  return 0;
}

int timespec_get(struct timespec *now, int base) {
  if (base != TIME_UTC)
    return 0;
  now->tv_sec = __VERIFIER_nondet_long();
  now->tv_nsec = __drystone_below(1000000000);
  __VERIFIER_assume(IS_TIME(now->tv_sec));
  return base;
}

int gettimeofday(struct timeval *now, void *zone) {
  if (zone != 0)
    REFUSE("a time zone");
  if (now != 0) {
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_usec = __drystone_below(1000000);
    __VERIFIER_assume(IS_TIME(now->tv_sec));
  }
  return 0;
}

int clock_getres(clockid_t clock, struct timespec *resolution) {
  if (resolution != 0)
    WRITES_OBJECT(resolution);
  SETS_ERRNO;
  RESULT(int, result == 0 || result == -1);
}

int clock_settime(clockid_t clock, const struct timespec *now) {
  SETS_ERRNO;
  RESULT(int, result == 0 || result == -1);
}

int settimeofday(const struct timeval *now, const struct timezone *zone) {
  SETS_ERRNO;
  RESULT(int, result == 0 || result == -1);
}

/* Nothing interrupts a thread that sleeps: only signals that have a handler do, and there are none. */
int nanosleep(const struct timespec *duration, struct timespec *rest) {
  if (duration->tv_sec >= 0 && 0 <= duration->tv_nsec && duration->tv_nsec < 1000000000)
    return 0;
  *__errno_location() = EINVAL;
  return -1;
}

/* Returns the number of the error. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *rest) {
  if (rest != 0)
    WRITES_OBJECT(rest);
  RESULT(int, result >= 0);
}

unsigned int sleep(unsigned int seconds) { return 0; }

int usleep(unsigned int microseconds) { return 0; }

/* Calendar time. The days of 400 years, of 100 without the fourth leap year, of 4, of 1, counted from 1 March 0000. */
#define DAY 86400L

static struct tm __drystone_broken_down;
static char __drystone_text[64];

struct tm *gmtime_r(const time_t *time, struct tm *tm) {
  if (*time > (time_t)1 << (sizeof(time_t) == 8 ? 55 : 30) || *time < -((time_t)1 << (sizeof(time_t) == 8 ? 55 : 30)))
    REFUSE("years that do not fit");
  time_t days = *time / DAY;
  long rest = (long)(*time % DAY);
  if (rest < 0) {
    rest += DAY;
    days--;
  }
  tm->tm_hour = (int)(rest / 3600);
  tm->tm_min = (int)(rest / 60 % 60);
  tm->tm_sec = (int)(rest % 60);
  tm->tm_wday = (int)((days % 7 + 11) % 7);
  days += 719468;
  time_t era = (days >= 0 ? days : days - 146096) / 146097;
  int day = (int)(days - era * 146097);
  int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  day -= 365 * year + year / 4 - year / 100;
  int month = (5 * day + 2) / 153;
  tm->tm_mday = day - (153 * month + 2) / 5 + 1;
  tm->tm_mon = month < 10 ? month + 2 : month - 10;
  time_t full = era * 400 + year + (month >= 10);
  tm->tm_year = (int)(full - 1900);
  _Bool leap = full % 4 == 0 && (full % 100 != 0 || full % 400 == 0);
  tm->tm_yday = month >= 10 ? day - 306 : day + 59 + leap;
  tm->tm_isdst = 0;
  tm->tm_gmtoff = 0;
  tm->tm_zone = "GMT";
  return tm;
}

struct tm *gmtime(const time_t *time) { return gmtime_r(time, &__drystone_broken_down); }

#define IN_RANGE(tm) \
  (0 <= (tm)->tm_sec && (tm)->tm_sec <= 60 && 0 <= (tm)->tm_min && (tm)->tm_min < 60 && 0 <= (tm)->tm_hour && \
   (tm)->tm_hour < 24 && 1 <= (tm)->tm_mday && (tm)->tm_mday <= 31 && 0 <= (tm)->tm_mon && (tm)->tm_mon < 12 && \
   0 <= (tm)->tm_wday && (tm)->tm_wday < 7 && 0 <= (tm)->tm_yday && (tm)->tm_yday < 366)
#define SETS_ZONE \
  REFUSE_WITH("timezone"); \
  REFUSE_WITH("daylight"); \
  REFUSE_WITH("tzname"); \
  REFUSE_WITH("__timezone"); \
  REFUSE_WITH("__daylight"); \
  REFUSE_WITH("__tzname")

void tzset(void) { SETS_ZONE; }

struct tm *localtime_r(const time_t *time, struct tm *tm) {
  NEEDS(time);
  SETS_ZONE;
  WRITES_OBJECT(tm);
  SETS_ERRNO;
  RESULT_WITHIN(tm, 0, 1);
}

struct tm *localtime(const time_t *time) {
  NEEDS(time);
  SETS_ZONE;
  SETS_ERRNO;
  LIBRARY_OBJECT(struct tm, tm, __drystone_broken_down, 1)
  WRITES_OBJECT(tm);
  HOLDS(IN_RANGE(tm));
  return tm;
}

/* On failure the members stay as they were: the ranges hold on success only. */
time_t mktime(struct tm *tm) {
  SETS_ZONE;
  WRITES_OBJECT(tm);
  SETS_ERRNO;
  RESULT(time_t, result == -1 || IN_RANGE(tm));
}

time_t timelocal(struct tm *tm) { return mktime(tm); }

time_t timegm(struct tm *tm) {
  WRITES_OBJECT(tm);
  SETS_ERRNO;
  RESULT(time_t, result == -1 || IN_RANGE(tm));
}

/* Texts end with a newline, after at least 25 characters. */
char *asctime(const struct tm *tm) {
  SETS_ERRNO;
  LIBRARY_OBJECT(char, text, __drystone_text[0], 1)
  WRITES(text, 63);
  return text;
}

char *ctime(const time_t *time) {
  NEEDS(time);
  SETS_ZONE;
  SETS_ERRNO;
  LIBRARY_OBJECT(char, text, __drystone_text[0], 1)
  WRITES(text, 63);
  WRITES_OBJECT(&__drystone_broken_down);
  return text;
}

/* The buffer has room for 26 bytes, as these functions require. */
char *asctime_r(const struct tm *tm, char *text) {
  WRITES(text, 26);
  SETS_ERRNO;
  RESULT_WITHIN(text, 0, 1);
}

char *ctime_r(const time_t *time, char *text) {
  NEEDS(time);
  SETS_ZONE;
  WRITES(text, 26);
  SETS_ERRNO;
  RESULT_WITHIN(text, 0, 1);
}

size_t strftime(char *text, size_t n, const char *format, const struct tm *tm) {
  NEEDS(format);
  NEEDS(tm);
  SETS_ZONE;
  WRITES(text, n);
  SETS_ERRNO;
  RESULT(size_t, result == 0 || result < n);
}

int utimes(const char *name, const struct timeval times[2]) {
  SETS_ERRNO;
  RESULT(int, result == 0 || result == -1);
}
