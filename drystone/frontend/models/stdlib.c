/* <stdlib.h> without the primitives malloc, calloc, realloc, free, alloca, exit and abort, and <search.h> as far as it is linear.
 *
 * Exact: absolute values, divisions, the conversions of integers (C locale, with ERANGE and saturation), rand_r, the generators of
 * 48 bits, bsearch, lfind and lsearch. qsort and qsort_r are a stable insertion sort: a program that depends on how often the
 * comparison is called depends on the implementation. getenv gives NULL or a fresh string, the same for the same name; of more
 * than eight names it refuses to tell.
 * Effects: rand and random (any value in range, whatever the seed; glibc's sequence is determined by it), strtod and its kin
 * (any value; the end pointer is any position of the string), system, mkstemp. */
#include "effects.h"

typedef __SIZE_TYPE__ size_t;
#define NULL ((void *)0)
#define INT_MAX __INT_MAX__
#define LONG_MAX __LONG_MAX__
#define LLONG_MAX __LONG_LONG_MAX__
#define ENOMEM 12
#define EINVAL 22
#define ERANGE 34

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
int __VERIFIER_nondet_int(void);
unsigned long __VERIFIER_nondet_ulong(void);
unsigned int __VERIFIER_nondet_uint(void);
char __VERIFIER_nondet_char(void);

typedef struct {
  int quot;
  int rem;
} div_t;
typedef struct {
  long quot;
  long rem;
} ldiv_t;
typedef struct {
  long long quot;
  long long rem;
} lldiv_t;

int *__errno_location(void) {
  static _Thread_local int error;
  return &error;
}
void *reallocarray(void *old, size_t count, size_t size) {
  if (size != 0 && count > __SIZE_MAX__ / size) {
    *__errno_location() = ENOMEM;
    return NULL;
  }
  return realloc(old, count * size);
}

/* Only alignments that are constants are given where malloc does not give them anyway. */
void *aligned_alloc(size_t alignment, size_t size) {
  if (alignment == 0 || alignment > 16 || (alignment & (alignment - 1)) != 0)
    REFUSE("an alignment that only a run knows");
  return malloc(size);
}
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
void *valloc(size_t size) { return memalign(4096, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || alignment > 16 || (alignment & (alignment - 1)) != 0)
    REFUSE("an alignment that only a run knows");
  void *memory = malloc(size);
  if (memory == NULL)
    return 12;
  *result = memory;
  return 0;
}

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
__INTMAX_TYPE__ imaxabs(__INTMAX_TYPE__ x) { return x < 0 ? -x : x; }

div_t div(int x, int y) { return (div_t){x / y, x % y}; }
ldiv_t ldiv(long x, long y) { return (ldiv_t){x / y, x % y}; }
lldiv_t lldiv(long long x, long long y) { return (lldiv_t){x / y, x % y}; }
typedef struct {
  __INTMAX_TYPE__ quot;
  __INTMAX_TYPE__ rem;
} imaxdiv_t;
imaxdiv_t imaxdiv(__INTMAX_TYPE__ x, __INTMAX_TYPE__ y) { return (imaxdiv_t){x / y, x % y}; }

/* The value of c as a digit, or 36. */
static int __drystone_digit(char c) {
  if ('0' <= c && c <= '9')
    return c - '0';
  if ('a' <= c && c <= 'z')
    return c - 'a' + 10;
  if ('A' <= c && c <= 'Z')
    return c - 'A' + 10;
  return 36;
}

/* Reads [space] [sign] [prefix] digits. Returns the magnitude, saturated at `limit` when negative is 0
 * and at `negative_limit` otherwise; *overflow says whether it was. */
static unsigned long long __drystone_parse(const char *s, char **end, int base, unsigned long long limit, unsigned long long negative_limit,
                                           _Bool *negative, _Bool *overflow) {
  const char *start = s;
  unsigned long long value = 0;
  *negative = 0;
  *overflow = 0;
  if (base < 0 || base == 1 || base > 36) {
    *__errno_location() = EINVAL;
    return 0;
  }
  if (end != NULL)
    *end = (char *)start;
  while (*s == ' ' || ('\t' <= *s && *s <= '\r'))
    s++;
  if (*s == '+' || *s == '-') {
    *negative = *s == '-';
    s++;
  }
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && __drystone_digit(s[2]) < 16) {
    s += 2;
    base = 16;
  }
  if (base == 0)
    base = *s == '0' ? 8 : 10;
  if (__drystone_digit(*s) >= base)
    return 0;
  if (*negative)
    limit = negative_limit;
  while (__drystone_digit(*s) < base) {
    unsigned digit = (unsigned)__drystone_digit(*s);
    if (value > (limit - digit) / (unsigned)base)
      *overflow = 1;
    else
      value = value * (unsigned)base + digit;
    s++;
  }
  if (end != NULL)
    *end = (char *)s;
  if (*overflow) {
    *__errno_location() = ERANGE;
    return limit;
  }
  return value;
}

long strtol(const char *s, char **end, int base) {
  _Bool negative, overflow;
  unsigned long value = (unsigned long)__drystone_parse(s, end, base, LONG_MAX, LONG_MAX + 1ULL, &negative, &overflow);
  return (long)(negative ? -value : value);
}

long long strtoll(const char *s, char **end, int base) {
  _Bool negative, overflow;
  unsigned long long value = __drystone_parse(s, end, base, LLONG_MAX, LLONG_MAX + 1ULL, &negative, &overflow);
  return (long long)(negative ? -value : value);
}

unsigned long strtoul(const char *s, char **end, int base) {
  _Bool negative, overflow;
  unsigned long value = (unsigned long)__drystone_parse(s, end, base, LONG_MAX * 2UL + 1, LONG_MAX * 2UL + 1, &negative, &overflow);
  return negative && !overflow ? -value : value;
}

unsigned long long strtoull(const char *s, char **end, int base) {
  _Bool negative, overflow;
  unsigned long long value = __drystone_parse(s, end, base, LLONG_MAX * 2ULL + 1, LLONG_MAX * 2ULL + 1, &negative, &overflow);
  return negative && !overflow ? -value : value;
}

__INTMAX_TYPE__ strtoimax(const char *s, char **end, int base) { return strtoll(s, end, base); }
__UINTMAX_TYPE__ strtoumax(const char *s, char **end, int base) { return strtoull(s, end, base); }

int atoi(const char *s) { return (int)strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }
long long atoll(const char *s) { return strtoll(s, NULL, 10); }

static size_t __drystone_length(const char *s) {
  size_t length = 0;
  while (s[length] != 0)
    length++;
  return length;
}

typedef long double longdouble;

float strtof(const char *s, char **end) {
  NEEDS(s);
  SETS_ERRNO;
  if (end != 0)
    ENDS_WITHIN(end, s, __drystone_length(s));
  RESULT(float, 1);
}

double strtod(const char *s, char **end) {
  NEEDS(s);
  SETS_ERRNO;
  if (end != 0)
    ENDS_WITHIN(end, s, __drystone_length(s));
  RESULT(double, 1);
}

long double strtold(const char *s, char **end) {
  NEEDS(s);
  SETS_ERRNO;
  if (end != 0)
    ENDS_WITHIN(end, s, __drystone_length(s));
  RESULT(longdouble, 1);
}

double atof(const char *s) {
  NEEDS(s);
  SETS_ERRNO;
  RESULT(double, 1);
}

int rand(void) { RESULT(int, 0 <= result); }
void srand(unsigned int seed) {}
long random(void) { RESULT(long, 0 <= result && result <= INT_MAX); }
void srandom(unsigned int seed) {}

/* glibc's: three steps of a linear congruential generator make one number. */
int rand_r(unsigned int *seed) {
  unsigned int next = *seed;
  next = next * 1103515245u + 12345u;
  int result = (int)(next / 65536u % 2048u);
  next = next * 1103515245u + 12345u;
  result = result << 10 ^ (int)(next / 65536u % 1024u);
  next = next * 1103515245u + 12345u;
  result = result << 10 ^ (int)(next / 65536u % 1024u);
  *seed = next;
  return result;
}

/* The generators of 48 bits: x * 0x5deece66d + 0xb modulo 2**48, of which the results are the high bits. */
static unsigned long long __drystone_state48;

static unsigned long long __drystone_next48(unsigned long long x) { return (x * 0x5deece66dULL + 0xb) & 0xffffffffffffULL; }
static double __drystone_fraction48(unsigned long long x) { return (double)x / 281474976710656.0; }

static unsigned long long __drystone_step48(unsigned short x[3]) {
  unsigned long long next = __drystone_next48(x[0] | (unsigned long long)x[1] << 16 | (unsigned long long)x[2] << 32);
  x[0] = (unsigned short)next;
  x[1] = (unsigned short)(next >> 16);
  x[2] = (unsigned short)(next >> 32);
  return next;
}

void srand48(long seed) { __drystone_state48 = (unsigned long long)(unsigned int)seed << 16 | 0x330e; }
long lrand48(void) { return (long)((__drystone_state48 = __drystone_next48(__drystone_state48)) >> 17); }
long mrand48(void) { return (int)((__drystone_state48 = __drystone_next48(__drystone_state48)) >> 16); }
double drand48(void) { return __drystone_fraction48(__drystone_state48 = __drystone_next48(__drystone_state48)); }
long nrand48(unsigned short x[3]) { return (long)(__drystone_step48(x) >> 17); }
long jrand48(unsigned short x[3]) { return (int)(__drystone_step48(x) >> 16); }
double erand48(unsigned short x[3]) { return __drystone_fraction48(__drystone_step48(x)); }

unsigned int arc4random(void) { return __VERIFIER_nondet_uint(); }

unsigned int arc4random_uniform(unsigned int bound) {
  unsigned int x = __VERIFIER_nondet_uint();
  __VERIFIER_assume(bound < 2 ? x == 0 : x < bound);
  return x;
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  unsigned char *a = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && compare(a + (j - 1) * size, a + j * size) > 0; j--)
      for (size_t k = 0; k < size; k++) {
        unsigned char byte = a[(j - 1) * size + k];
        a[(j - 1) * size + k] = a[j * size + k];
        a[j * size + k] = byte;
      }
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *argument) {
  unsigned char *a = base;
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && compare(a + (j - 1) * size, a + j * size, argument) > 0; j--)
      for (size_t k = 0; k < size; k++) {
        unsigned char byte = a[(j - 1) * size + k];
        a[(j - 1) * size + k] = a[j * size + k];
        a[j * size + k] = byte;
      }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0;
  while (low < count) {
    size_t middle = low + (count - low) / 2;
    const unsigned char *element = (const unsigned char *)base + middle * size;
    int order = compare(key, element);
    if (order == 0)
      return (void *)element;
    if (order < 0)
      count = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
  for (size_t i = 0; i < *count; i++)
    if (compare(key, (const unsigned char *)base + i * size) == 0)
      return (unsigned char *)base + i * size;
  return NULL;
}

void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
  void *found = lfind(key, base, count, size, compare);
  if (found != NULL)
    return found;
  unsigned char *end = (unsigned char *)base + *count * size;
  for (size_t i = 0; i < size; i++)
    end[i] = ((const unsigned char *)key)[i];
  ++*count;
  return end;
}

/* The environment has what it has: a name that was asked for before has the same value. */
enum { ENVIRONMENT = 8 };
static const char *__drystone_asked[ENVIRONMENT];
static char *__drystone_found[ENVIRONMENT];
static int __drystone_asked_count;

static _Bool __drystone_equal(const char *left, const char *right) {
  while (*left != 0 && *left == *right) {
    left++;
    right++;
  }
  return *left == *right;
}

static char *__drystone_any_string(void) {
  if (__VERIFIER_nondet_int() == 0)
    return NULL;
  size_t length = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(length < INT_MAX);
  char *value = malloc(length + 1);
  if (value == NULL)
    return NULL;
  for (size_t i = 0; i < length; i++) {
    value[i] = __VERIFIER_nondet_char();
    __VERIFIER_assume(value[i] != 0);
  }
  value[length] = 0;
  return value;
}

char *getenv(const char *name) {
  size_t length = __drystone_length(name);
  _Bool has_sign = 0; /* of A=B=C, "C" is the value of A=B, too */
  for (size_t i = 0; i < length; i++)
    if (name[i] == '=')
      has_sign = 1;
  if (length == 0)
    return NULL;
  for (int i = 0; i < __drystone_asked_count; i++)
    if (__drystone_equal(__drystone_asked[i], name))
      return __drystone_found[i];
  if (__drystone_asked_count == ENVIRONMENT)
    REFUSE("more names than are kept");
  char *copy = malloc(length + 1);
  if (copy == NULL)
    return NULL;
  for (size_t i = 0; i <= length; i++)
    copy[i] = name[i];
  char *value = __drystone_any_string();
  if (has_sign && __VERIFIER_nondet_approximate_uchar() == 0)
    value = NULL;
  __drystone_asked[__drystone_asked_count] = copy;
  __drystone_found[__drystone_asked_count] = value;
  __drystone_asked_count++;
  return value;
}

char *secure_getenv(const char *name) { return getenv(name); }

/* The command cannot change the program's memory. It may end the program. */
int system(const char *command) {
  if (command != NULL)
    MAY_NOT_RETURN;
  SETS_ERRNO;
  RESULT(int, 1);
}

/* The six characters XXXXXX at the end of the name. */
int mkstemp(char *name) {
  size_t length = __drystone_length(name);
  if (length >= 6)
    WRITES(name + length - 6, 6);
  SETS_ERRNO;
  HOLDS(__drystone_length(name) == length);
  RESULT(int, result >= -1);
}

char *mkdtemp(char *name) {
  size_t length = __drystone_length(name);
  if (length >= 6)
    WRITES(name + length - 6, 6);
  SETS_ERRNO;
  HOLDS(__drystone_length(name) == length);
  RESULT_WITHIN(name, 0, 1);
}

/* <unistd.h> */
void swab(const void *from, void *to, __PTRDIFF_TYPE__ n) {
  const unsigned char *f = from;
  unsigned char *t = to;
  for (__PTRDIFF_TYPE__ i = n & ~(__PTRDIFF_TYPE__)1; i > 1; i -= 2) {
    unsigned char high = f[i - 1], low = f[i - 2];
    t[i - 1] = low;
    t[i - 2] = high;
  }
}
