/* The models of stdlib.c against glibc. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

MODEL(reallocarray); MODEL(abs); MODEL(labs); MODEL(llabs); MODEL(imaxabs); MODEL(div); MODEL(ldiv); MODEL(lldiv);
MODEL(strtol); MODEL(strtoll); MODEL(strtoul); MODEL(strtoull); MODEL(strtoimax); MODEL(strtoumax);
MODEL(atoi); MODEL(atol); MODEL(atoll); MODEL(strtod); MODEL(rand); MODEL(rand_r); MODEL(random); MODEL(drand48); MODEL(mrand48);
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
  CHECK(a.quot == b.quot && a.rem == b.rem && c.quot == d.quot && c.rem == d.rem && e.quot == f.quot && e.rem == f.rem, "div");
}

/* What glibc returns, the model can return; and what it returns is in range. */
static void check_random(void) {
  int wanted = rand(), got = -1;
  script(1, (uint64_t)wanted);
  CHECK(RUNS(got = model_rand()) && got == wanted, "rand");
  if (RUNS(got = model_rand()))
    CHECK(got >= 0, "rand");
  long l = 0;
  if (RUNS(l = model_random()))
    CHECK(0 <= l && l <= INT_MAX, "random");
  double d = 0;
  if (RUNS(d = model_drand48()))
    CHECK(0 <= d && d < 1, "drand48");
  char *end, text[] = "12.5e";
  if (RUNS(model_strtod(text, &end)))
    CHECK(text <= end && end <= text + strlen(text), "strtod");
  script(3, (uint64_t)1, (uint64_t)3, (uint64_t)'h');
  char *value = NULL;
  if (RUNS(value = model_getenv("HOME"))) {
    CHECK(strlen(value) == 3 && value[0] == 'h', "getenv");
    free(value);
  }
  script(1, (uint64_t)0);
  CHECK(model_getenv("HOME") == NULL, "getenv");
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
    check_sorting();
    check_arithmetic();
  }
  for (int round = 0; round < 200; round++) {
    check_allocation();
    check_random();
  }
  return 0;
}
