/* <stdlib.h> without the primitives malloc, calloc, realloc, free, alloca, exit and abort.
 *
 * Exact: absolute values, divisions, the conversions of integers (C locale, with ERANGE and saturation),
 * bsearch (which of several equal elements: one of them).
 * qsort is a stable insertion sort: a program that depends on the order of equal elements, or on how often the comparison is
 * called, depends on the implementation. Over-approximated: rand and its kin (any value in range, whatever the seed),
 * atof and strtod (any value; the end pointer is any position of the string), getenv (NULL or a fresh string). */
typedef __SIZE_TYPE__ size_t;
#define NULL ((void *)0)
#define INT_MAX __INT_MAX__
#define LONG_MAX __LONG_MAX__
#define LLONG_MAX __LONG_LONG_MAX__
#define EINVAL 22
#define ERANGE 34

void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *realloc(void *, size_t);
void free(void *);
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
unsigned int __VERIFIER_nondet_uint(void);
char __VERIFIER_nondet_char(void);
double __VERIFIER_nondet_double(void);
double __VERIFIER_nondet_approximate_double(void);
float __VERIFIER_nondet_approximate_float(void);
unsigned long __VERIFIER_nondet_approximate_ulong(void);
void __VERIFIER_assume(int);

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
  static int error;
  return &error;
}
void *reallocarray(void *old, size_t count, size_t size) {
  if (size != 0 && count > __SIZE_MAX__ / size)
    return NULL;
  return realloc(old, count * size);
}

/* The alignment of malloc is assumed to suffice. */
void *aligned_alloc(size_t alignment, size_t size) { return malloc(size); }
void *memalign(size_t alignment, size_t size) { return malloc(size); }
void *valloc(size_t size) { return malloc(size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
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
  if (end != NULL)
    *end = (char *)start;
  if (base < 0 || base == 1 || base > 36) {
    *__errno_location() = EINVAL;
    return 0;
  }
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

static void __drystone_any_end(const char *s, char **end) {
  if (end == NULL)
    return;
  size_t length = 0;
  while (s[length] != 0)
    length++;
  size_t n = __VERIFIER_nondet_approximate_ulong();
  __VERIFIER_assume(n <= length);
  *end = (char *)s + n;
}

double strtod(const char *s, char **end) {
  __drystone_any_end(s, end);
  return __VERIFIER_nondet_approximate_double();
}

float strtof(const char *s, char **end) {
  __drystone_any_end(s, end);
  return __VERIFIER_nondet_approximate_float();
}

double atof(const char *s) { return __VERIFIER_nondet_approximate_double(); }

int rand(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x >= 0);
  return x;
}

void srand(unsigned int seed) {}

int rand_r(unsigned int *seed) {
  *seed = __VERIFIER_nondet_uint();
  return rand();
}

long random(void) {
  long x = __VERIFIER_nondet_long();
  __VERIFIER_assume(0 <= x && x <= INT_MAX);
  return x;
}

void srandom(unsigned int seed) {}

long lrand48(void) { return random(); }

long mrand48(void) {
  long x = __VERIFIER_nondet_long();
  __VERIFIER_assume(-INT_MAX - 1L <= x && x <= INT_MAX);
  return x;
}

double drand48(void) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(0.0 <= x && x < 1.0);
  return x;
}

void srand48(long seed) {}

unsigned int arc4random(void) { return __VERIFIER_nondet_uint(); }

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

char *getenv(const char *name) {
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
