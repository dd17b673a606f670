/* <string.h> and <strings.h>. Exact, in the C locale, where the arguments are as the standard requires.
 *
 * Results that the standard leaves to the implementation are narrowed: comparisons return -1, 0 or 1
 * (glibc: any value of that sign). A program that looks at more than the sign is not portable.
 * strdup and strndup return NULL when malloc does. Effects: what messages of errors and signals say, strverscmp. */
#include "effects.h"

typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);

void *memcpy(void *to, const void *from, size_t n) {
  READS_ALL(from, n);
  WRITES_ALL(to, n);
  unsigned char *t = to;
  const unsigned char *f = from;
  for (size_t i = 0; i < n; i++)
    t[i] = f[i];
  return to;
}

void *mempcpy(void *to, const void *from, size_t n) {
  READS_ALL(from, n);
  WRITES_ALL(to, n);
  unsigned char *t = to;
  const unsigned char *f = from;
  for (size_t i = 0; i < n; i++)
    t[i] = f[i];
  return t + n;
}

/* The order of the addresses decides the direction, as in any implementation; for different objects
 * either direction is right. */
void *memmove(void *to, const void *from, size_t n) {
  READS_ALL(from, n);
  WRITES_ALL(to, n);
  unsigned char *t = to;
  const unsigned char *f = from;
  if (t < f)
    for (size_t i = 0; i < n; i++)
      t[i] = f[i];
  else
    for (size_t i = n; i > 0; i--)
      t[i - 1] = f[i - 1];
  return to;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *t = to;
  const unsigned char *f = from;
  for (size_t i = 0; i < n; i++) {
    t[i] = f[i];
    if (f[i] == (unsigned char)c)
      return t + i + 1;
  }
  return 0;
}

void *memset(void *to, int c, size_t n) {
  WRITES_ALL(to, n);
  unsigned char *t = to;
  for (size_t i = 0; i < n; i++)
    t[i] = (unsigned char)c;
  return to;
}

int memcmp(const void *left, const void *right, size_t n) {
  READS_ALL(left, n);
  READS_ALL(right, n);
  const unsigned char *l = left;
  const unsigned char *r = right;
  for (size_t i = 0; i < n; i++)
    if (l[i] != r[i])
      return l[i] < r[i] ? -1 : 1;
  return 0;
}

void *memchr(const void *s, int c, size_t n) {
  const unsigned char *p = s;
  for (size_t i = 0; i < n; i++)
    if (p[i] == (unsigned char)c)
      return (void *)(p + i);
  return 0;
}

void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *p = s;
  for (size_t i = n; i > 0; i--)
    if (p[i - 1] == (unsigned char)c)
      return (void *)(p + i - 1);
  return 0;
}

void *rawmemchr(const void *s, int c) {
  const unsigned char *p = s;
  while (*p != (unsigned char)c)
    p++;
  return (void *)p;
}

void *memmem(const void *haystack, size_t n, const void *needle, size_t m) {
  const unsigned char *h = haystack;
  const unsigned char *d = needle;
  for (size_t i = 0; m <= n && i <= n - m; i++) {
    size_t j = 0;
    while (j < m && h[i + j] == d[j])
      j++;
    if (j == m)
      return (void *)(h + i);
  }
  return 0;
}

void bzero(void *to, size_t n) {
  WRITES_ALL(to, n);
  unsigned char *t = to;
  for (size_t i = 0; i < n; i++)
    t[i] = 0;
}

void explicit_bzero(void *to, size_t n) {
  WRITES_ALL(to, n);
  unsigned char *t = to;
  for (size_t i = 0; i < n; i++)
    t[i] = 0;
}

void bcopy(const void *from, void *to, size_t n) {
  READS_ALL(from, n);
  WRITES_ALL(to, n);
  unsigned char *t = to;
  const unsigned char *f = from;
  if (t < f)
    for (size_t i = 0; i < n; i++)
      t[i] = f[i];
  else
    for (size_t i = n; i > 0; i--)
      t[i - 1] = f[i - 1];
}

int bcmp(const void *left, const void *right, size_t n) {
  READS_ALL(left, n);
  READS_ALL(right, n);
  const unsigned char *l = left;
  const unsigned char *r = right;
  for (size_t i = 0; i < n; i++)
    if (l[i] != r[i])
      return 1;
  return 0;
}

size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n] != 0)
    n++;
  return n;
}

size_t strnlen(const char *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n] != 0)
    n++;
  return n;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  while (from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  to[i] = 0;
  return to;
}

char *stpcpy(char *to, const char *from) {
  size_t i = 0;
  while (from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  to[i] = 0;
  return to + i;
}

char *strncpy(char *to, const char *from, size_t n) {
  WRITES_ALL(to, n);
  size_t i = 0;
  while (i < n && from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return to;
}

char *stpncpy(char *to, const char *from, size_t n) {
  WRITES_ALL(to, n);
  size_t i = 0;
  while (i < n && from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  char *end = to + i;
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return end;
}

size_t strlcpy(char *to, const char *from, size_t size) {
  size_t n = 0;
  while (from[n] != 0) {
    if (n + 1 < size)
      to[n] = from[n];
    n++;
  }
  if (size > 0)
    to[n < size ? n : size - 1] = 0;
  return n;
}

size_t strlcat(char *to, const char *from, size_t size) {
  size_t start = 0;
  while (start < size && to[start] != 0)
    start++;
  size_t n = 0;
  while (from[n] != 0) {
    if (start + n + 1 < size)
      to[start + n] = from[n];
    n++;
  }
  if (start < size)
    to[start + n < size ? start + n : size - 1] = 0;
  return start + n;
}

char *strcat(char *to, const char *from) {
  char *t = to;
  while (*t != 0)
    t++;
  while (*from != 0)
    *t++ = *from++;
  *t = 0;
  return to;
}

char *strncat(char *to, const char *from, size_t n) {
  char *t = to;
  while (*t != 0)
    t++;
  while (n > 0 && *from != 0) {
    *t++ = *from++;
    n--;
  }
  *t = 0;
  return to;
}

int strcmp(const char *left, const char *right) {
  while (*left != 0 && *left == *right) {
    left++;
    right++;
  }
  unsigned char l = (unsigned char)*left;
  unsigned char r = (unsigned char)*right;
  return l < r ? -1 : l > r;
}

int strcoll(const char *left, const char *right) {
  while (*left != 0 && *left == *right) {
    left++;
    right++;
  }
  unsigned char l = (unsigned char)*left;
  unsigned char r = (unsigned char)*right;
  return l < r ? -1 : l > r;
}

size_t strxfrm(char *to, const char *from, size_t n) {
  size_t length = strlen(from);
  for (size_t i = 0; i <= length && i < n; i++)
    to[i] = from[i];
  return length;
}

int strncmp(const char *left, const char *right, size_t n) {
  while (n > 0 && *left != 0 && *left == *right) {
    left++;
    right++;
    n--;
  }
  if (n == 0)
    return 0;
  unsigned char l = (unsigned char)*left;
  unsigned char r = (unsigned char)*right;
  return l < r ? -1 : l > r;
}

static unsigned char __drystone_lower(char c) {
  return (unsigned char)('A' <= c && c <= 'Z' ? c + ('a' - 'A') : c);
}

int strcasecmp(const char *left, const char *right) {
  while (*left != 0 && __drystone_lower(*left) == __drystone_lower(*right)) {
    left++;
    right++;
  }
  unsigned char l = __drystone_lower(*left);
  unsigned char r = __drystone_lower(*right);
  return l < r ? -1 : l > r;
}

int strncasecmp(const char *left, const char *right, size_t n) {
  while (n > 0 && *left != 0 && __drystone_lower(*left) == __drystone_lower(*right)) {
    left++;
    right++;
    n--;
  }
  if (n == 0)
    return 0;
  unsigned char l = __drystone_lower(*left);
  unsigned char r = __drystone_lower(*right);
  return l < r ? -1 : l > r;
}

char *strchr(const char *s, int c) {
  while (*s != (char)c) {
    if (*s == 0)
      return 0;
    s++;
  }
  return (char *)s;
}

char *index(const char *s, int c) {
  while (*s != (char)c) {
    if (*s == 0)
      return 0;
    s++;
  }
  return (char *)s;
}

char *strchrnul(const char *s, int c) {
  while (*s != (char)c && *s != 0)
    s++;
  return (char *)s;
}

char *strrchr(const char *s, int c) {
  const char *last = 0;
  while (*s != 0) {
    if (*s == (char)c)
      last = s;
    s++;
  }
  return (char *)((char)c == 0 ? s : last);
}

char *rindex(const char *s, int c) {
  const char *last = 0;
  while (*s != 0) {
    if (*s == (char)c)
      last = s;
    s++;
  }
  return (char *)((char)c == 0 ? s : last);
}

char *strstr(const char *haystack, const char *needle) {
  for (;;) {
    size_t i = 0;
    while (needle[i] != 0 && haystack[i] == needle[i])
      i++;
    if (needle[i] == 0)
      return (char *)haystack;
    if (*haystack == 0)
      return 0;
    haystack++;
  }
}

char *strcasestr(const char *haystack, const char *needle) {
  for (;;) {
    size_t i = 0;
    while (needle[i] != 0 && __drystone_lower(haystack[i]) == __drystone_lower(needle[i]))
      i++;
    if (needle[i] == 0)
      return (char *)haystack;
    if (*haystack == 0)
      return 0;
    haystack++;
  }
}

static _Bool __drystone_is_in(char c, const char *set) {
  while (*set != 0) {
    if (*set == c)
      return 1;
    set++;
  }
  return 0;
}

size_t strspn(const char *s, const char *accept) {
  size_t n = 0;
  while (s[n] != 0 && __drystone_is_in(s[n], accept))
    n++;
  return n;
}

size_t strcspn(const char *s, const char *reject) {
  size_t n = 0;
  while (s[n] != 0 && !__drystone_is_in(s[n], reject))
    n++;
  return n;
}

char *strpbrk(const char *s, const char *accept) {
  while (*s != 0) {
    if (__drystone_is_in(*s, accept))
      return (char *)s;
    s++;
  }
  return 0;
}

char *strtok_r(char *s, const char *delimiters, char **rest) {
  if (s == 0)
    s = *rest;
  while (*s != 0 && __drystone_is_in(*s, delimiters))
    s++;
  if (*s == 0) {
    *rest = s;
    return 0;
  }
  char *token = s;
  while (*s != 0 && !__drystone_is_in(*s, delimiters))
    s++;
  if (*s != 0) {
    *s = 0;
    s++;
  }
  *rest = s;
  return token;
}

/* glibc's follows a null pointer when the first call already passes one. */
char *strtok(char *s, const char *delimiters) {
  static char *rest;
  if (s == 0 && rest == 0) {
    MAY_NOT_RETURN;
    return 0;
  }
  return strtok_r(s, delimiters, &rest);
}

char *strsep(char **rest, const char *delimiters) {
  char *token = *rest;
  if (token == 0)
    return 0;
  char *s = token;
  while (*s != 0 && !__drystone_is_in(*s, delimiters))
    s++;
  if (*s == 0) {
    *rest = 0;
  } else {
    *s = 0;
    *rest = s + 1;
  }
  return token;
}

char *strndup(const char *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n] != 0)
    n++;
  char *copy = malloc(n + 1);
  if (copy == 0)
    return 0;
  for (size_t i = 0; i < n; i++)
    copy[i] = s[i];
  copy[n] = 0;
  return copy;
}

char *strdup(const char *s) {
  size_t n = 0;
  while (s[n] != 0)
    n++;
  char *copy = malloc(n + 1);
  if (copy == 0)
    return 0;
  for (size_t i = 0; i <= n; i++)
    copy[i] = s[i];
  return copy;
}

char *__strdup(const char *s) { return strdup(s); }

int strverscmp(const char *left, const char *right) { RESULT(int, 1); }

/* Texts that later calls may write over; two numbers may have two texts, at two places. */
static char __drystone_message[2][64];

char *strerror(int number) {
  LIBRARY_OBJECT(char, message, __drystone_message[__VERIFIER_nondet_approximate_uchar() & 1][0], 0)
  WRITES(message, 63);
  HOLDS(message[0] != 0);
  return message;
}

char *strsignal(int number) {
  LIBRARY_OBJECT(char, message, __drystone_message[__VERIFIER_nondet_approximate_uchar() & 1][0], 0)
  WRITES(message, 63);
  HOLDS(message[0] != 0);
  return message;
}

/* The variant of POSIX, and the one that glibc calls it by. */
int __xpg_strerror_r(int number, char *message, size_t n) {
  WRITES(message, n);
  SETS_ERRNO;
  HOLDS(n == 0 || strnlen(message, n) < n);
  RESULT(int, result >= 0);
}

int strerror_r(int number, char *message, size_t n) { return __xpg_strerror_r(number, message, n); }

int ffsll(long long x) {
  for (int i = 0; i < 64; i++)
    if ((unsigned long long)x >> i & 1)
      return i + 1;
  return 0;
}

int ffs(int x) { return ffsll((unsigned int)x); }

int ffsl(long x) { return ffsll((long long)(unsigned long)x); }

/* The checking variants of glibc's headers: the size of the destination is not checked here. */
void *__memcpy_chk(void *to, const void *from, size_t n, size_t size) { return memcpy(to, from, n); }
void *__memmove_chk(void *to, const void *from, size_t n, size_t size) { return memmove(to, from, n); }
void *__memset_chk(void *to, int c, size_t n, size_t size) { return memset(to, c, n); }
char *__strcpy_chk(char *to, const char *from, size_t size) { return strcpy(to, from); }
char *__strncpy_chk(char *to, const char *from, size_t n, size_t size) { return strncpy(to, from, n); }
char *__strcat_chk(char *to, const char *from, size_t size) { return strcat(to, from); }
char *__strncat_chk(char *to, const char *from, size_t n, size_t size) { return strncat(to, from, n); }
