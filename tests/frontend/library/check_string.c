/* The models of string.c against glibc, on random strings over a small alphabet. */
#define _GNU_SOURCE
#include "support.h"

#include <string.h>
#include <strings.h>
#undef strdup
#undef strndup

MODEL(memcpy); MODEL(mempcpy); MODEL(memmove); MODEL(memccpy); MODEL(memset); MODEL(memcmp); MODEL(memchr);
MODEL(memrchr); MODEL(memmem); MODEL(bzero); MODEL(bcopy); MODEL(bcmp); MODEL(explicit_bzero);
MODEL(strlen); MODEL(strnlen); MODEL(strcpy); MODEL(stpcpy); MODEL(strncpy); MODEL(stpncpy); MODEL(strcat); MODEL(strncat);
MODEL(strcmp); MODEL(strcoll); MODEL(strncmp); MODEL(strcasecmp); MODEL(strncasecmp);
MODEL(strchr); MODEL(index); MODEL(strrchr); MODEL(rindex); MODEL(strchrnul); MODEL(strstr); MODEL(strcasestr);
MODEL(strspn); MODEL(strcspn); MODEL(strpbrk); MODEL(strtok); MODEL(strtok_r); MODEL(strsep); MODEL(strdup); MODEL(strndup);
MODEL(ffs); MODEL(ffsl); MODEL(ffsll);
MODEL(strxfrm); MODEL(strerror); MODEL(strsignal); MODEL(strverscmp);
extern int __xpg_strerror_r(int, char *, size_t), model___xpg_strerror_r(int, char *, size_t);
extern void *model_rawmemchr(const void *, int);
extern size_t model_strlcpy(char *, const char *, size_t), model_strlcat(char *, const char *, size_t);

enum { SIZE = 24, ROOM = 64 };
static char a[SIZE + 1], b[SIZE + 1];
static char expected[ROOM], actual[ROOM];

static void random_string(char *s, int max) {
  static const char alphabet[] = "abAB,; \x80\xff";
  int n = random_below(max + 1);
  for (int i = 0; i < n; i++)
    s[i] = alphabet[random_below((int)sizeof alphabet - 1)];
  s[n] = 0;
}

static int sign(int x) { return (x > 0) - (x < 0); }

static void fill(void) {
  for (int i = 0; i < ROOM; i++)
    expected[i] = actual[i] = (char)random_bits();
}

/* Both calls get their own copy of the destination; results are compared as offsets, then all bytes. */
#define SAME_WRITE(f, ...) \
  do { \
    char *to = expected; \
    long e = (char *)f(__VA_ARGS__) - expected; \
    to = actual; \
    long r = (char *)model_##f(__VA_ARGS__) - actual; \
    CHECK((e == r || (e < 0 && r < 0)) && memcmp(expected, actual, ROOM) == 0, #f " of '%s', '%s'", a, b); \
  } while (0)
#define SAME(f, ...) CHECK(f(__VA_ARGS__) == model_##f(__VA_ARGS__), #f " of '%s', '%s'", a, b)
#define SAME_SIGN(f, ...) CHECK(sign(f(__VA_ARGS__)) == sign(model_##f(__VA_ARGS__)), #f " of '%s', '%s'", a, b)

static void start_string(void) {
  int n = random_below(10);
  fill();
  for (int i = 0; i < n; i++)
    expected[i] = actual[i] = 'x';
  expected[n] = actual[n] = 0;
}

static void check_messages(void) {
  int number = random_below(140) - 3;
  ALLOWS(strerror, number);
  CHECK(strlen(strerror(number)) < 64, "strerror");
  ALLOWS(strsignal, number);
  CHECK(strlen(strsignal(number)) < 64, "strsignal");
  ALLOWS(strverscmp, a, b);
  size_t n = (size_t)random_below(ROOM);
  fill();
  watch(expected, sizeof expected);
  ALLOWS(__xpg_strerror_r, number, expected, n);
  ALLOWS(strxfrm, expected, a, n);
  unwatch();
}

static void check_tokens(void) {
  char e[SIZE + 1], r[SIZE + 1], *es, *rs;
  strcpy(e, a);
  strcpy(r, a);
  char *et = strtok(e, b), *rt = model_strtok(r, b);
  while (et != NULL && rt != NULL) {
    CHECK(et - e == rt - r && strcmp(et, rt) == 0, "strtok of '%s', '%s'", a, b);
    et = strtok(NULL, b);
    rt = model_strtok(NULL, b);
  }
  CHECK(et == NULL && rt == NULL && memcmp(e, r, strlen(a) + 1) == 0, "strtok of '%s', '%s'", a, b);
  strcpy(es = e, a);
  strcpy(rs = r, a);
  while (es != NULL) {
    et = strsep(&es, b);
    rt = model_strsep(&rs, b);
    CHECK(et - e == rt - r && (es == NULL ? rs == NULL : es - e == rs - r), "strsep of '%s', '%s'", a, b);
  }
  CHECK(model_strsep(&rs, b) == NULL, "strsep at the end");
}

int main(void) {
  for (int round = 0; round < 20000; round++) {
    random_string(a, SIZE);
    random_string(b, round % 2 ? SIZE : 3);
    size_t la = strlen(a), lb = strlen(b), small = (size_t)random_below(SIZE);
    int c = random_below(3) ? a[random_below((int)la + 1)] : random_below(600) - 300;

    if (round % 50 == 0)
      check_messages();
    fill(); SAME_WRITE(memcpy, to, a, la);
    fill(); SAME_WRITE(mempcpy, to + 1, a, la);
    fill(); SAME_WRITE(memccpy, to, a, c, la);
    fill(); SAME_WRITE(memset, to, c, small);
    int from = random_below(20), into = random_below(20);
    fill(); SAME_WRITE(memmove, to + into, to + from, small);
    fill(); bcopy(expected + from, expected + into, small); model_bcopy(actual + from, actual + into, small);
    CHECK(memcmp(expected, actual, ROOM) == 0, "bcopy");
    fill(); bzero(expected, small); model_bzero(actual, small);
    CHECK(memcmp(expected, actual, ROOM) == 0, "bzero");
    fill(); bzero(expected, small); model_explicit_bzero(actual, small);
    CHECK(memcmp(expected, actual, ROOM) == 0, "explicit_bzero");
    size_t both = la < lb ? la : lb;
    SAME_SIGN(memcmp, a, b, both);
    CHECK(!bcmp(a, b, both) == !model_bcmp(a, b, both), "bcmp");
    SAME(memchr, a, c, la);
    SAME(memrchr, a, c, la);
    SAME(memmem, a, la, b, lb);
    CHECK(model_rawmemchr(a, 0) == a + la, "rawmemchr");

    SAME(strlen, a);
    SAME(strnlen, a, small);
    fill(); SAME_WRITE(strcpy, to, a);
    fill(); SAME_WRITE(stpcpy, to, a);
    fill(); SAME_WRITE(strncpy, to, a, small);
    fill(); SAME_WRITE(stpncpy, to, a, small);
    start_string(); SAME_WRITE(strcat, to, a);
    start_string(); SAME_WRITE(strncat, to, a, small);
    fill();
    CHECK(model_strlcpy(actual, a, small) == la, "strlcpy");
    CHECK(small == 0 || strncmp(actual, a, small - 1) == 0, "strlcpy of '%s'", a);
    CHECK(small == 0 || strlen(actual) == (la < small ? la : small - 1), "strlcpy of '%s'", a);
    start_string();
    size_t before = strlen(actual), room = before + 1 + small;
    CHECK(model_strlcat(actual, a, room) == before + la, "strlcat");
    CHECK(strlen(actual) == (before + la < room ? before + la : room - 1), "strlcat of '%s'", a);
    CHECK(strncmp(actual + before, a, room - before - 1) == 0, "strlcat of '%s'", a);

    SAME_SIGN(strcmp, a, b);
    SAME_SIGN(strcoll, a, b);
    SAME_SIGN(strncmp, a, b, small);
    SAME_SIGN(strcasecmp, a, b);
    SAME_SIGN(strncasecmp, a, b, small);
    SAME(strchr, a, c);
    SAME(index, a, c);
    SAME(strrchr, a, c);
    SAME(rindex, a, c);
    SAME(strchrnul, a, c);
    SAME(strstr, a, b);
    SAME(strcasestr, a, b);
    SAME(strspn, a, b);
    SAME(strcspn, a, b);
    SAME(strpbrk, a, b);
    check_tokens();
    char *copy = model_strdup(a), *part = model_strndup(a, small);
    CHECK(strcmp(copy, a) == 0, "strdup");
    CHECK(strlen(part) == strnlen(a, small) && strncmp(part, a, small) == 0, "strndup");
    free(copy);
    free(part);
    int x = random_below(2) ? (int)random_bits() : (int)(1u << random_below(32));
    CHECK(ffs(x) == model_ffs(x) && ffsl(x) == model_ffsl(x) && ffsll(x) == model_ffsll(x), "ffs of %d", x);
  }
  CHECK(model_ffs(0) == 0 && model_ffsll(-0x7fffffffffffffffLL - 1) == 64, "ffs");
  return 0;
}
