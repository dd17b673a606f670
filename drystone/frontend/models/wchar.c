/* <wchar.h> without the streams: strings of wide characters, and multibyte characters in the C locale.
 *
 * Exact where the arguments are as the standard requires; comparisons return -1, 0 or 1, and collation is by the values. Bytes
 * above 127 are no characters of the C locale: whether they are converted is up to the implementation, and an effect here.
 * wcstod and its kin give any number. */
#include "effects.h"

#include <wchar.h>

void *malloc(size_t);
int *__errno_location(void);
#define EINVAL 22
#define ERANGE 34

size_t wcslen(const wchar_t *s) {
  size_t n = 0;
  while (s[n] != 0)
    n++;
  return n;
}

size_t wcsnlen(const wchar_t *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n] != 0)
    n++;
  return n;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
  size_t i = 0;
  while (from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  to[i] = 0;
  return to;
}

wchar_t *wcpcpy(wchar_t *to, const wchar_t *from) {
  size_t i = 0;
  while (from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  to[i] = 0;
  return to + i;
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n) {
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

wchar_t *wcpncpy(wchar_t *to, const wchar_t *from, size_t n) {
  size_t i = 0;
  while (i < n && from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  wchar_t *end = to + i;
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return end;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
  wchar_t *t = to;
  while (*t != 0)
    t++;
  while (*from != 0)
    *t++ = *from++;
  *t = 0;
  return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n) {
  wchar_t *t = to;
  while (*t != 0)
    t++;
  while (n > 0 && *from != 0) {
    *t++ = *from++;
    n--;
  }
  *t = 0;
  return to;
}

int wcscmp(const wchar_t *left, const wchar_t *right) {
  while (*left != 0 && *left == *right) {
    left++;
    right++;
  }
  return *left < *right ? -1 : *left > *right;
}

int wcscoll(const wchar_t *left, const wchar_t *right) { return wcscmp(left, right); }

int wcsncmp(const wchar_t *left, const wchar_t *right, size_t n) {
  while (n > 0 && *left != 0 && *left == *right) {
    left++;
    right++;
    n--;
  }
  if (n == 0)
    return 0;
  return *left < *right ? -1 : *left > *right;
}

static wchar_t __drystone_lower_wide(wchar_t c) { return L'A' <= c && c <= L'Z' ? c + (L'a' - L'A') : c; }

int wcscasecmp(const wchar_t *left, const wchar_t *right) {
  while (*left != 0 && __drystone_lower_wide(*left) == __drystone_lower_wide(*right)) {
    left++;
    right++;
  }
  wchar_t l = __drystone_lower_wide(*left), r = __drystone_lower_wide(*right);
  return l < r ? -1 : l > r;
}

int wcsncasecmp(const wchar_t *left, const wchar_t *right, size_t n) {
  while (n > 0 && *left != 0 && __drystone_lower_wide(*left) == __drystone_lower_wide(*right)) {
    left++;
    right++;
    n--;
  }
  if (n == 0)
    return 0;
  wchar_t l = __drystone_lower_wide(*left), r = __drystone_lower_wide(*right);
  return l < r ? -1 : l > r;
}

size_t wcsxfrm(wchar_t *to, const wchar_t *from, size_t n) {
  size_t length = wcslen(from);
  for (size_t i = 0; i <= length && i < n; i++)
    to[i] = from[i];
  return length;
}

wchar_t *wcschr(const wchar_t *s, wchar_t c) {
  while (*s != c) {
    if (*s == 0)
      return 0;
    s++;
  }
  return (wchar_t *)s;
}

wchar_t *wcschrnul(const wchar_t *s, wchar_t c) {
  while (*s != c && *s != 0)
    s++;
  return (wchar_t *)s;
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
  const wchar_t *last = 0;
  while (*s != 0) {
    if (*s == c)
      last = s;
    s++;
  }
  return (wchar_t *)(c == 0 ? s : last);
}

wchar_t *wcsstr(const wchar_t *haystack, const wchar_t *needle) {
  for (;;) {
    size_t i = 0;
    while (needle[i] != 0 && haystack[i] == needle[i])
      i++;
    if (needle[i] == 0)
      return (wchar_t *)haystack;
    if (*haystack == 0)
      return 0;
    haystack++;
  }
}

wchar_t *wcswcs(const wchar_t *haystack, const wchar_t *needle) { return wcsstr(haystack, needle); }

static _Bool __drystone_is_in_wide(wchar_t c, const wchar_t *set) {
  while (*set != 0) {
    if (*set == c)
      return 1;
    set++;
  }
  return 0;
}

size_t wcsspn(const wchar_t *s, const wchar_t *accept) {
  size_t n = 0;
  while (s[n] != 0 && __drystone_is_in_wide(s[n], accept))
    n++;
  return n;
}

size_t wcscspn(const wchar_t *s, const wchar_t *reject) {
  size_t n = 0;
  while (s[n] != 0 && !__drystone_is_in_wide(s[n], reject))
    n++;
  return n;
}

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *accept) {
  while (*s != 0) {
    if (__drystone_is_in_wide(*s, accept))
      return (wchar_t *)s;
    s++;
  }
  return 0;
}

wchar_t *wcstok(wchar_t *s, const wchar_t *delimiters, wchar_t **rest) {
  if (s == 0)
    s = *rest;
  if (s == 0) {
    *__errno_location() = EINVAL;
    return 0;
  }
  while (*s != 0 && __drystone_is_in_wide(*s, delimiters))
    s++;
  if (*s == 0) {
    *rest = 0;
    return 0;
  }
  wchar_t *token = s;
  while (*s != 0 && !__drystone_is_in_wide(*s, delimiters))
    s++;
  if (*s != 0) {
    *s = 0;
    *rest = s + 1;
  } else {
    *rest = 0;
  }
  return token;
}

wchar_t *wcsdup(const wchar_t *s) {
  size_t n = wcslen(s);
  wchar_t *copy = malloc((n + 1) * sizeof(wchar_t));
  if (copy == 0)
    return 0;
  for (size_t i = 0; i <= n; i++)
    copy[i] = s[i];
  return copy;
}

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = from[i];
  return to;
}

wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = from[i];
  return to + n;
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) {
  if (to < from)
    for (size_t i = 0; i < n; i++)
      to[i] = from[i];
  else
    for (size_t i = n; i > 0; i--)
      to[i - 1] = from[i - 1];
  return to;
}

wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = c;
  return to;
}

int wmemcmp(const wchar_t *left, const wchar_t *right, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (s[i] == c)
      return (wchar_t *)(s + i);
  return 0;
}

/* The value of c as a digit, or 36. */
static int __drystone_wide_digit(wchar_t c) {
  if (L'0' <= c && c <= L'9')
    return c - L'0';
  if (L'a' <= c && c <= L'z')
    return c - L'a' + 10;
  if (L'A' <= c && c <= L'Z')
    return c - L'A' + 10;
  return 36;
}

/* As __drystone_parse in stdlib.c. */
static unsigned long long __drystone_parse_wide(const wchar_t *s, wchar_t **end, int base, unsigned long long limit,
                                                unsigned long long negative_limit, _Bool *negative, _Bool *overflow) {
  const wchar_t *start = s;
  unsigned long long value = 0;
  *negative = 0;
  *overflow = 0;
  if (base < 0 || base == 1 || base > 36) {
    *__errno_location() = EINVAL;
    return 0;
  }
  if (end != 0)
    *end = (wchar_t *)start;
  while (*s == L' ' || (L'\t' <= *s && *s <= L'\r'))
    s++;
  if (*s == L'+' || *s == L'-') {
    *negative = *s == L'-';
    s++;
  }
  if ((base == 0 || base == 16) && s[0] == L'0' && (s[1] == L'x' || s[1] == L'X') && __drystone_wide_digit(s[2]) < 16) {
    s += 2;
    base = 16;
  }
  if (base == 0)
    base = *s == L'0' ? 8 : 10;
  if (__drystone_wide_digit(*s) >= base)
    return 0;
  if (*negative)
    limit = negative_limit;
  while (__drystone_wide_digit(*s) < base) {
    unsigned digit = (unsigned)__drystone_wide_digit(*s);
    if (value > (limit - digit) / (unsigned)base)
      *overflow = 1;
    else
      value = value * (unsigned)base + digit;
    s++;
  }
  if (end != 0)
    *end = (wchar_t *)s;
  if (*overflow) {
    *__errno_location() = ERANGE;
    return limit;
  }
  return value;
}

long wcstol(const wchar_t *s, wchar_t **end, int base) {
  _Bool negative, overflow;
  unsigned long value =
      (unsigned long)__drystone_parse_wide(s, end, base, __LONG_MAX__, __LONG_MAX__ + 1ULL, &negative, &overflow);
  return (long)(negative ? -value : value);
}

long long wcstoll(const wchar_t *s, wchar_t **end, int base) {
  _Bool negative, overflow;
  unsigned long long value =
      __drystone_parse_wide(s, end, base, __LONG_LONG_MAX__, __LONG_LONG_MAX__ + 1ULL, &negative, &overflow);
  return (long long)(negative ? -value : value);
}

unsigned long wcstoul(const wchar_t *s, wchar_t **end, int base) {
  _Bool negative, overflow;
  unsigned long value = (unsigned long)__drystone_parse_wide(s, end, base, __LONG_MAX__ * 2UL + 1, __LONG_MAX__ * 2UL + 1,
                                                             &negative, &overflow);
  return negative && !overflow ? -value : value;
}

unsigned long long wcstoull(const wchar_t *s, wchar_t **end, int base) {
  _Bool negative, overflow;
  unsigned long long value = __drystone_parse_wide(s, end, base, __LONG_LONG_MAX__ * 2ULL + 1, __LONG_LONG_MAX__ * 2ULL + 1,
                                                   &negative, &overflow);
  return negative && !overflow ? -value : value;
}

__INTMAX_TYPE__ wcstoimax(const wchar_t *s, wchar_t **end, int base) { return wcstoll(s, end, base); }
__UINTMAX_TYPE__ wcstoumax(const wchar_t *s, wchar_t **end, int base) { return wcstoull(s, end, base); }

typedef long double longdouble;

/* The end pointer is any position of the string. */

float wcstof(const wchar_t *s, wchar_t **end) {
  SETS_ERRNO;
  if (end != 0)
    ENDS_WITHIN(end, s, wcslen(s));
  RESULT(float, 1);
}

double wcstod(const wchar_t *s, wchar_t **end) {
  SETS_ERRNO;
  if (end != 0)
    ENDS_WITHIN(end, s, wcslen(s));
  RESULT(double, 1);
}

long double wcstold(const wchar_t *s, wchar_t **end) {
  SETS_ERRNO;
  if (end != 0)
    ENDS_WITHIN(end, s, wcslen(s));
  RESULT(longdouble, 1);
}

/* Multibyte characters of the C locale: those below 128 are themselves. */

wint_t btowc(int c) {
  if (-1 <= c && c < 128)
    return (wint_t)c;
  RESULT(wint_t, 1);
}

int wctob(wint_t c) {
  if (c < 128 || c == WEOF)
    return (int)c;
  RESULT(int, -1 <= result && result <= 255);
}

int mbsinit(const mbstate_t *state) { return state == 0 || state->__count == 0; }

size_t mbrtowc(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
  if (s == 0)
    return 0;
  if (n == 0)
    return (size_t)-2;
  if ((unsigned char)*s < 128) {
    if (to != 0)
      *to = *s;
    return *s != 0;
  }
  if (to != 0)
    WRITES_OBJECT(to);
  SETS_ERRNO;
  RESULT(size_t, result == 1 || result == (size_t)-1);
}

size_t mbrlen(const char *s, size_t n, mbstate_t *state) { return mbrtowc(0, s, n, state); }

size_t wcrtomb(char *to, wchar_t c, mbstate_t *state) {
  if (to == 0)
    return 1;
  if (0 <= c && c < 128) {
    *to = (char)c;
    return 1;
  }
  WRITES_OBJECT(to);
  SETS_ERRNO;
  RESULT(size_t, result == 1 || result == (size_t)-1);
}

/* <stdlib.h> */
int mblen(const char *s, size_t n) {
  if (s == 0 || *s == 0)
    return 0;
  if (n == 0)
    return -1;
  if ((unsigned char)*s < 128)
    return 1;
  SETS_ERRNO;
  RESULT(int, result == 1 || result == -1);
}

int mbtowc(wchar_t *to, const char *s, size_t n) {
  if (s == 0)
    return 0;
  if (n == 0 && *s != 0)
    return -1;
  if ((unsigned char)*s < 128) {
    if (to != 0)
      *to = *s;
    return *s != 0;
  }
  if (to != 0)
    WRITES_OBJECT(to);
  SETS_ERRNO;
  RESULT(int, result == 1 || result == -1);
}

int wctomb(char *to, wchar_t c) {
  if (to == 0)
    return 0;
  if (0 <= c && c < 128) {
    *to = (char)c;
    return 1;
  }
  WRITES_OBJECT(to);
  SETS_ERRNO;
  RESULT(int, result == 1 || result == -1);
}

size_t mbstowcs(wchar_t *to, const char *s, size_t n) {
  for (size_t i = 0; to == 0 || i < n; i++) {
    if ((unsigned char)s[i] >= 128) {
      if (to != 0)
        WRITES(to + i, (n - i) * sizeof *to);
      SETS_ERRNO;
      RESULT(size_t, result == (size_t)-1 || to == 0 || result <= n);
    }
    if (to != 0)
      to[i] = s[i];
    if (s[i] == 0)
      return i;
  }
  return n;
}

size_t wcstombs(char *to, const wchar_t *s, size_t n) {
  for (size_t i = 0; to == 0 || i < n; i++) {
    if (s[i] < 0 || s[i] >= 128) {
      if (to != 0)
        WRITES(to + i, n - i);
      SETS_ERRNO;
      RESULT(size_t, result == (size_t)-1 || to == 0 || result <= n);
    }
    if (to != 0)
      to[i] = (char)s[i];
    if (s[i] == 0)
      return i;
  }
  return n;
}

size_t mbsrtowcs(wchar_t *to, const char **source, size_t n, mbstate_t *state) {
  const char *s = *source;
  for (size_t i = 0; to == 0 || i < n; i++) {
    if ((unsigned char)s[i] >= 128)
      REFUSE("bytes above 127");
    if (to != 0)
      to[i] = s[i];
    if (s[i] == 0) {
      if (to != 0)
        *source = 0;
      return i;
    }
  }
  *source = s + n;
  return n;
}

size_t wcsrtombs(char *to, const wchar_t **source, size_t n, mbstate_t *state) {
  const wchar_t *s = *source;
  for (size_t i = 0; to == 0 || i < n; i++) {
    if (s[i] < 0 || s[i] >= 128)
      REFUSE("characters above 127");
    if (to != 0)
      to[i] = (char)s[i];
    if (s[i] == 0) {
      if (to != 0)
        *source = 0;
      return i;
    }
  }
  *source = s + n;
  return n;
}
