#ifndef DRYSTONE_WCHAR_H
#define DRYSTONE_WCHAR_H

#include <stdarg.h>
#include <stddef.h>

typedef unsigned int wint_t;
typedef struct {
  int __count;
  unsigned int __value;
} mbstate_t;
#define WEOF (0xffffffffu)
#ifndef WCHAR_MAX
#define WCHAR_MAX __WCHAR_MAX__
#define WCHAR_MIN (-WCHAR_MAX - 1)
#endif

size_t wcslen(const wchar_t *);
size_t wcsnlen(const wchar_t *, size_t);
wchar_t *wcscpy(wchar_t *, const wchar_t *);
wchar_t *wcsncpy(wchar_t *, const wchar_t *, size_t);
wchar_t *wcscat(wchar_t *, const wchar_t *);
wchar_t *wcsncat(wchar_t *, const wchar_t *, size_t);
int wcscmp(const wchar_t *, const wchar_t *);
int wcsncmp(const wchar_t *, const wchar_t *, size_t);
int wcscoll(const wchar_t *, const wchar_t *);
int wcscasecmp(const wchar_t *, const wchar_t *);
int wcsncasecmp(const wchar_t *, const wchar_t *, size_t);
size_t wcsxfrm(wchar_t *, const wchar_t *, size_t);
wchar_t *wcpcpy(wchar_t *, const wchar_t *);
wchar_t *wcpncpy(wchar_t *, const wchar_t *, size_t);
size_t wcsspn(const wchar_t *, const wchar_t *);
size_t wcscspn(const wchar_t *, const wchar_t *);
wchar_t *wcspbrk(const wchar_t *, const wchar_t *);
wchar_t *wcstok(wchar_t *, const wchar_t *, wchar_t **);
wchar_t *wcschr(const wchar_t *, wchar_t);
wchar_t *wcsrchr(const wchar_t *, wchar_t);
wchar_t *wcsstr(const wchar_t *, const wchar_t *);
wchar_t *wcsdup(const wchar_t *);
wchar_t *wmemcpy(wchar_t *, const wchar_t *, size_t);
wchar_t *wmemmove(wchar_t *, const wchar_t *, size_t);
wchar_t *wmemset(wchar_t *, wchar_t, size_t);
int wmemcmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wmemchr(const wchar_t *, wchar_t, size_t);
long wcstol(const wchar_t *, wchar_t **, int);
unsigned long wcstoul(const wchar_t *, wchar_t **, int);
long long wcstoll(const wchar_t *, wchar_t **, int);
unsigned long long wcstoull(const wchar_t *, wchar_t **, int);
double wcstod(const wchar_t *, wchar_t **);
float wcstof(const wchar_t *, wchar_t **);
long double wcstold(const wchar_t *, wchar_t **);
wint_t btowc(int);
int wctob(wint_t);
size_t mbrtowc(wchar_t *, const char *, size_t, mbstate_t *);
size_t wcrtomb(char *, wchar_t, mbstate_t *);
size_t mbrlen(const char *, size_t, mbstate_t *);
int mbsinit(const mbstate_t *);
size_t mbsrtowcs(wchar_t *, const char **, size_t, mbstate_t *);
size_t wcsrtombs(char *, const wchar_t **, size_t, mbstate_t *);
wint_t getwchar(void);
wint_t putwchar(wchar_t);
int wprintf(const wchar_t *, ...);
int swprintf(wchar_t *, size_t, const wchar_t *, ...);

typedef struct __locale_struct *locale_t;
struct _IO_FILE;
struct tm;
int wcscasecmp_l(const wchar_t *, const wchar_t *, locale_t);
int wcsncasecmp_l(const wchar_t *, const wchar_t *, size_t, locale_t);
int wcscoll_l(const wchar_t *, const wchar_t *, locale_t);
size_t wcsxfrm_l(wchar_t *, const wchar_t *, size_t, locale_t);
size_t mbsnrtowcs(wchar_t *, const char **, size_t, size_t, mbstate_t *);
size_t wcsnrtombs(char *, const wchar_t **, size_t, size_t, mbstate_t *);
struct _IO_FILE *open_wmemstream(wchar_t **, size_t *);
int fwide(struct _IO_FILE *, int);
int fwprintf(struct _IO_FILE *, const wchar_t *, ...);
int vfwprintf(struct _IO_FILE *, const wchar_t *, __builtin_va_list);
int vwprintf(const wchar_t *, __builtin_va_list);
int vswprintf(wchar_t *, size_t, const wchar_t *, __builtin_va_list);
int fwscanf(struct _IO_FILE *, const wchar_t *, ...);
int wscanf(const wchar_t *, ...);
int swscanf(const wchar_t *, const wchar_t *, ...);
int vfwscanf(struct _IO_FILE *, const wchar_t *, __builtin_va_list);
int vwscanf(const wchar_t *, __builtin_va_list);
int vswscanf(const wchar_t *, const wchar_t *, __builtin_va_list);
wint_t fgetwc(struct _IO_FILE *);
wint_t getwc(struct _IO_FILE *);
wint_t fputwc(wchar_t, struct _IO_FILE *);
wint_t putwc(wchar_t, struct _IO_FILE *);
wchar_t *fgetws(wchar_t *, int, struct _IO_FILE *);
int fputws(const wchar_t *, struct _IO_FILE *);
wint_t ungetwc(wint_t, struct _IO_FILE *);
size_t wcsftime(wchar_t *, size_t, const wchar_t *, const struct tm *);
#if defined(_XOPEN_SOURCE) || defined(_GNU_SOURCE)
int wcwidth(wchar_t);
int wcswidth(const wchar_t *, size_t);
#endif

#endif
