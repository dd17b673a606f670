/* The models of stdlib.c against glibc. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

MODEL(reallocarray); MODEL(abs); MODEL(labs); MODEL(llabs); MODEL(imaxabs); MODEL(div); MODEL(ldiv); MODEL(lldiv);
MODEL(strtol); MODEL(strtoll); MODEL(strtoul); MODEL(strtoull); MODEL(strtoimax); MODEL(strtoumax);
MODEL(atoi); MODEL(atol); MODEL(atoll); MODEL(strtod); MODEL(rand); MODEL(rand_r); MODEL(random); MODEL(drand48); MODEL(mrand48);
MODEL(lrand48); MODEL(nrand48); MODEL(jrand48); MODEL(erand48); MODEL(srand); MODEL(srandom); MODEL(srand48);
MODEL(strtof); MODEL(strtold); MODEL(atof); MODEL(system); MODEL(mkstemp); MODEL(mkdtemp); MODEL(swab); MODEL(imaxdiv);
MODEL(qsort_r); MODEL(lfind); MODEL(lsearch); MODEL(secure_getenv);
extern unsigned model_arc4random(void), model_arc4random_uniform(unsigned);
MODEL(qsort); MODEL(bsearch); MODEL(getenv); MODEL(posix_memalign); MODEL(aligned_alloc); MODEL(__errno_location);

#define SAME_NUMBER(f) \
  do { \
    char *e, *r; \
    errno = 0; \
    *model___errno_location() = 0; \
    __typeof__(f(s, &e, base)) x = f(s, &e, base), y = model_##f(s, &r, base); \
    CHECK(x == y && e == r, #f "('%s', %d): %lld, not %lld; end %d, not %d", s, base, (long long)y, (long long)x, (int)(r - s), (int)(e - s)); \
    CHECK(errno == *model___errno_location(), #f "('%s', %d): errno %d, not %d", s, base, *model___errno_location(), errno); \
  } while (0)

static void check_numbers(const char *s, int base) {
  SAME_NUMBER(strtol);
  SAME_NUMBER(strtoll);
  SAME_NUMBER(strtoul);
  SAME_NUMBER(strtoull);
  SAME_NUMBER(strtoimax);
  SAME_NUMBER(strtoumax);
  CHECK(atol(s) == model_atol(s) && atoll(s) == model_atoll(s), "atol('%s')", s);
  CHECK(atoi(s) == model_atoi(s), "atoi('%s')", s);
}

static void random_number(char *s) {
  static const char *starts[] = {"", " ", "\t\n-", "+", "-", "0x", "0", "-0X", "0x0x", "+-", "--", "x"};
  static const char digits[] = "0123456789abcdefxzAFZ ";
  s += sprintf(s, "%s", starts[random_below(12)]);
  if (random_below(2)) {
    s += sprintf(s, random_below(2) ? "%llu" : "%llx", (unsigned long long)random_bits() >> random_below(64));
    if (random_below(3) == 0)
      s += sprintf(s, "%d", random_below(100));
  }
  int n = random_below(4);
  for (int i = 0; i < n; i++)
    *s++ = digits[random_below(random_below(2) ? 10 : (int)sizeof digits - 1)];
  *s = 0;
}

static int compare_ints(const void *x, const void *y) {
  int l = *(const int *)x, r = *(const int *)y;
  return l < r ? -1 : l > r;
}

static void check_sorting(void) {
  int n = random_below(12), expected[12], actual[12];
  for (int i = 0; i < n; i++)
    expected[i] = actual[i] = random_below(10);
  qsort(expected, (size_t)n, sizeof(int), compare_ints);
  model_qsort(actual, (size_t)n, sizeof(int), compare_ints);
  CHECK(memcmp(expected, actual, (size_t)n * sizeof(int)) == 0, "qsort of %d", n);
  for (int key = -1; key < 11; key++) {
    int *found = model_bsearch(&key, actual, (size_t)n, sizeof(int), compare_ints);
    int *wanted = bsearch(&key, actual, (size_t)n, sizeof(int), compare_ints);
    CHECK(!found == !wanted && (found == NULL || *found == key), "bsearch");
  }
}

static void check_allocation(void) {
  size_t n = 1 + (size_t)random_below(100), m = 1 + (size_t)random_below(100);
  unsigned char *p = model_reallocarray(NULL, n, 2);
  for (size_t i = 0; i < 2 * n; i++)
    p[i] = (unsigned char)(i * 7);
  p = model_reallocarray(p, m, 2);
  for (size_t i = 0; i < 2 * n && i < 2 * m; i++)
    CHECK(p[i] == (unsigned char)(i * 7), "reallocarray");
  CHECK(model_reallocarray(p, SIZE_MAX / 2, 3) == NULL, "reallocarray overflow");
  free(p);
  void *q;
  CHECK(model_posix_memalign(&q, 16, 10) == 0, "posix_memalign");
  free(q);
  free(model_aligned_alloc(16, 32));
}

static void check_arithmetic(void) {
  int x = (int)(random_bits() >> random_below(63)), y = (int)(random_bits() >> random_below(63));
  long long u = (long long)random_bits() >> random_below(63), v = (long long)random_bits() >> random_below(63);
  if (y == 0 || v == 0 || x == INT_MIN || u == LLONG_MIN || (long)u == LONG_MIN || (long)v == 0)
    return;
  CHECK(abs(x) == model_abs(x) && labs((long)u) == model_labs((long)u) && llabs(u) == model_llabs(u), "abs");
  CHECK(imaxabs(u) == model_imaxabs(u), "imaxabs");
  div_t a = div(x, y), b = model_div(x, y);
  ldiv_t c = ldiv((long)u, (long)v), d = model_ldiv((long)u, (long)v);
  lldiv_t e = lldiv(u, v), f = model_lldiv(u, v);
  imaxdiv_t g = imaxdiv(u, v), h = model_imaxdiv(u, v);
  CHECK(g.quot == h.quot && g.rem == h.rem, "imaxdiv");
  CHECK(a.quot == b.quot && a.rem == b.rem && c.quot == d.quot && c.rem == d.rem && e.quot == f.quot && e.rem == f.rem, "div");
}

/* The number of calls differs, the result does not. */
static int compare_with(const void *x, const void *y, void *order) { return *(int *)order * compare_ints(x, y); }

static void check_searching(void) {
  int n = random_below(12), order = random_below(2) ? 1 : -1, expected[13], actual[13];
  for (int i = 0; i < n; i++)
    expected[i] = actual[i] = random_below(10);
  qsort_r(expected, (size_t)n, sizeof(int), compare_with, &order);
  model_qsort_r(actual, (size_t)n, sizeof(int), compare_with, &order);
  CHECK(memcmp(expected, actual, (size_t)n * sizeof(int)) == 0, "qsort_r of %d", n);
  size_t count = (size_t)n;
  int key = random_below(12);
  watch(actual, sizeof actual);
  watch(&count, sizeof count);
  ALLOWS(lfind, &key, actual, &count, sizeof(int), compare_ints);
  ALLOWS(lsearch, &key, actual, &count, sizeof(int), compare_ints);
  unwatch();
}

static void check_random(void) {
  ALLOWS(rand);
  ALLOWS(random);
  srand(3);
  model_srand(3);
  srandom(3);
  model_srandom(3);
  unsigned seed = (unsigned)random_bits();
  watch(&seed, sizeof seed);
  ALLOWS(rand_r, &seed);
  unwatch();
  unsigned short state[3] = {(unsigned short)random_bits(), (unsigned short)random_bits(), (unsigned short)random_bits()};
  watch(state, sizeof state);
  ALLOWS(nrand48, state);
  ALLOWS(jrand48, state);
  ALLOWS(erand48, state);
  unwatch();
  if (random_below(3) == 0) {
    long start = (long)random_bits();
    srand48(start);
    model_srand48(start);
  }
  CHECK(lrand48() == model_lrand48() && mrand48() == model_mrand48() && drand48() == model_drand48(), "48 bits");
  unsigned bound = (unsigned)random_below(5), below = 0;
  script(1, (uint64_t)0);
  CHECK(RUNS(below = model_arc4random_uniform(bound)) && below == 0, "arc4random_uniform");
  model_arc4random();
}

static void check_fractions(const char *s) {
  char *end = 0;
  watch(&end, sizeof end);
  ALLOWS(strtod, s, &end);
  ALLOWS(strtof, s, &end);
  ALLOWS(strtold, s, &end);
  ALLOWS(strtod, s, NULL);
  ALLOWS(atof, s);
  unwatch();
}

static void check_swab(void) {
  unsigned char from[20], to[24];
  for (int i = 0; i < 24; i++)
    to[i] = from[i % 20] = (unsigned char)random_bits();
  watch(to, sizeof to);
  int n = random_below(22) - 2;
  ALLOWS_VOID(swab, from, to, n);
  unwatch();
}

static void check_names(void) {
  char name[64];
  sprintf(name, "/tmp/check_stdlib_%dXXXXX%c", random_below(1000), random_below(2) ? 'X' : 'Y');
  watch(name, sizeof name);
  unlink(name);
  int (*real)(char *) = mkstemp;
  watch_before();
  int file = real(name);
  watch_after("mkstemp", &file, sizeof file);
  int result = -2;
  CHECK(RUNS(result = model_mkstemp(name)) && result == file, "mkstemp");
  watch_again();
  CHECK(RUNS(model_mkstemp(name)), "mkstemp");
  watch_compare(1);
  watch_end();
  unwatch();
  if (file >= 0) {
    close(file);
    unlink(name);
  }
  strcpy(name + strlen(name) - 6, "XXXXXX");
  watch(name, sizeof name);
  ALLOWS(mkdtemp, name);
  unwatch();
  rmdir(name);
}


/* The same name, the same value; another, perhaps another. */
static void check_environment(void) {
  CHECK(model_getenv("") == NULL && getenv("") == NULL, "getenv");
  if (getenv("A") == NULL) { /* what is behind the second sign is found, too */
    char *odd = NULL;
    setenv("A", "B=C", 1);
    CHECK(strcmp(getenv("A=B"), "C") == 0, "getenv");
    script(4, (uint64_t)1, (uint64_t)1, (uint64_t)'C', (uint64_t)1);
    CHECK(RUNS(odd = model_getenv("A=B")) && strcmp(odd, "C") == 0, "getenv");
    unsetenv("A");
  }
  script(3, (uint64_t)1, (uint64_t)3, (uint64_t)'h');
  char *value = NULL;
  while (!RUNS(value = model_getenv("HOME")))
    script(3, (uint64_t)1, (uint64_t)3, (uint64_t)'h');
  CHECK(value != NULL && strlen(value) == 3 && value[0] == 'h', "getenv");
  script(1, (uint64_t)0);
  CHECK(model_getenv("HOME") == value && model_secure_getenv("HOME") == value, "getenv");
  CHECK(model_getenv("NO") == NULL && model_getenv("NO") == NULL, "getenv");
  ALLOWS(system, "true");
  ALLOWS(system, "exit 3");
  ALLOWS(system, NULL);
}

int main(void) {
  static const char *numbers[] = {
      "2147483647",  "2147483648",  "-2147483648", "-2147483649", "4294967295", "4294967296", "-4294967295", "-4294967296",
      "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
      "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "", "0x", "0xg", "-", "08", "0777", "99999999999999999999999"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    for (int base = 0; base <= 36; base += base == 0 ? 2 : 1)
      check_numbers(numbers[i], base);
  for (int round = 0; round < 20000; round++) {
    static const int bases[] = {0, 0, 10, 10, 16, 8, 2, 36};
    char s[64];
    random_number(s);
    check_numbers(s, bases[random_below(8)]);
    if (round % 100 == 0)
      check_fractions(s);
    check_sorting();
    check_arithmetic();
  }
  for (int round = 0; round < 200; round++) {
    check_allocation();
    check_random();
    check_searching();
    check_swab();
    check_names();
    static const int wrong[] = {-1, 1, 37, -2147483647 - 1};
    char text[] = "12", *end = text + 1;
    watch(&end, sizeof end);
    int base = wrong[random_below(4)];
    ALLOWS(strtol, text, &end, base);
    unwatch();
  }
  check_environment();
  return 0;
}
