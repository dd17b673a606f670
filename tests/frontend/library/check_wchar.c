/* The models of wchar.c against glibc, on random strings over a small alphabet. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <inttypes.h>
#include <wchar.h>

MODEL(wcslen); MODEL(wcsnlen); MODEL(wcscpy); MODEL(wcpcpy); MODEL(wcsncpy); MODEL(wcpncpy); MODEL(wcscat); MODEL(wcsncat);
MODEL(wcscmp); MODEL(wcscoll); MODEL(wcsncmp); MODEL(wcscasecmp); MODEL(wcsncasecmp); MODEL(wcsxfrm); MODEL(wcschr);
MODEL(wcschrnul); MODEL(wcsrchr); MODEL(wcsstr); MODEL(wcsspn); MODEL(wcscspn); MODEL(wcspbrk); MODEL(wcstok); MODEL(wcsdup);
MODEL(wmemcpy); MODEL(wmempcpy); MODEL(wmemmove); MODEL(wmemset); MODEL(wmemcmp); MODEL(wmemchr); MODEL(wcstol); MODEL(wcstoll);
MODEL(wcstoul); MODEL(wcstoull); MODEL(wcstoimax); MODEL(wcstoumax); MODEL(wcstof); MODEL(wcstod); MODEL(wcstold); MODEL(btowc);
MODEL(wctob); MODEL(mbsinit); MODEL(mbrtowc); MODEL(mbrlen); MODEL(wcrtomb); MODEL(mblen); MODEL(mbtowc); MODEL(wctomb);
MODEL(mbstowcs); MODEL(wcstombs); MODEL(mbsrtowcs); MODEL(wcsrtombs); MODEL(wcswcs);

enum { SIZE = 24, ROOM = 64 };
static wchar_t a[SIZE + 1], b[SIZE + 1], to[ROOM];
static char bytes[SIZE + 1], out[ROOM];

static void random_wide(wchar_t *s, int max) {
  static const wchar_t alphabet[] = L"abAB,; \u00e9\U0001f600\x7f";
  int n = random_below(max + 1);
  for (int i = 0; i < n; i++)
    s[i] = alphabet[random_below((int)(sizeof alphabet / sizeof *alphabet) - 1)];
  if (n > 0 && random_below(20) == 0)
    s[random_below(n)] = -5;
  s[n] = 0;
}

static void random_bytes(char *s, int max) {
  int n = random_below(max + 1), wild = random_below(4) == 0;
  for (int i = 0; i < n; i++)
    s[i] = (char)(wild ? 1 + random_below(255) : 1 + random_below(127));
  s[n] = 0;
}

static int sign(int x) { return (x > 0) - (x < 0); }
#define SAME_SIGN(f, ...) CHECK(sign(f(__VA_ARGS__)) == sign(model_##f(__VA_ARGS__)), #f)

static void check_strings(void) {
  random_wide(a, SIZE);
  random_wide(b, 3);
  size_t n = (size_t)random_below(SIZE + 4);
  wchar_t c = random_below(4) ? a[random_below(SIZE)] : 0;
  for (int i = 0; i < ROOM; i++)
    to[i] = (wchar_t)random_bits();
  ALLOWS(wcslen, a);
  ALLOWS(wcsnlen, a, n);
  watch(to, sizeof to);
  ALLOWS(wcscpy, to, a);
  ALLOWS(wcscat, to, b);
  ALLOWS(wcsncat, to, b, n);
  ALLOWS(wcpcpy, to, a);
  ALLOWS(wcsncpy, to, a, n);
  ALLOWS(wcpncpy, to, a, n);
  ALLOWS(wcsxfrm, to, a, n);
  ALLOWS(wmemset, to, c, n);
  size_t m = n < SIZE ? n : SIZE;
  ALLOWS(wmemcpy, to, a, m);
  ALLOWS(wmempcpy, to, a, m);
  ALLOWS(wmemmove, to + 2, to, m);
  ALLOWS(wmemmove, to, to + 2, m);
  unwatch();
  SAME_SIGN(wcscmp, a, b);
  SAME_SIGN(wcscoll, a, b);
  SAME_SIGN(wcsncmp, a, b, n);
  SAME_SIGN(wcscasecmp, a, b);
  SAME_SIGN(wcsncasecmp, a, b, n);
  SAME_SIGN(wmemcmp, a, b, 2);
  ALLOWS(wcschr, a, c);
  ALLOWS(wcschrnul, a, c);
  ALLOWS(wcsrchr, a, c);
  ALLOWS(wcsstr, a, b);
  ALLOWS(wcswcs, a, b);
  ALLOWS(wcsspn, a, b);
  ALLOWS(wcscspn, a, b);
  ALLOWS(wcspbrk, a, b);
  ALLOWS(wmemchr, a, c, m);
  wchar_t *copy = model_wcsdup(a);
  CHECK(wcscmp(copy, a) == 0, "wcsdup");
  free(copy);
  wchar_t *rest = 0;
  watch(a, sizeof a);
  watch(&rest, sizeof rest);
  ALLOWS(wcstok, a, b, &rest);
  for (int i = 0; i < 4; i++)
    ALLOWS(wcstok, NULL, b, &rest);
  unwatch();
}

static void check_numbers(void) {
  static const wchar_t *starts[] = {L"", L" ", L"\t\n-", L"+", L"-", L"0x", L"0", L"-0X", L"0x0x", L"+-", L"--", L"x", L"1e5", L"inf"};
  static const int bases[] = {0, 0, 10, 10, 16, 8, 2, 36, 1, -1, 37};
  wchar_t s[64], *end = s;
  int n = swprintf(s, 64, L"%ls", starts[random_below(14)]);
  if (random_below(2))
    n += swprintf(s + n, 40, random_below(2) ? L"%llu" : L"%llx", (unsigned long long)random_bits() >> random_below(64));
  n += swprintf(s + n, 20, random_below(2) ? L"%d" : L"z", random_below(1000));
  int base = bases[random_below(11)];
  watch(&end, sizeof end);
  ALLOWS(wcstol, s, &end, base);
  ALLOWS(wcstoll, s, &end, base);
  ALLOWS(wcstoul, s, &end, base);
  ALLOWS(wcstoull, s, &end, base);
  ALLOWS(wcstoimax, s, &end, base);
  ALLOWS(wcstoumax, s, NULL, base);
  ALLOWS(wcstof, s, &end);
  ALLOWS(wcstod, s, &end);
  ALLOWS(wcstold, s, &end);
  ALLOWS(wcstod, s, NULL);
  unwatch();
}

static void check_multibyte(void) {
  random_bytes(bytes, SIZE);
  random_wide(a, SIZE);
  size_t n = (size_t)random_below(SIZE + 4);
  int c = random_below(300) - 2;
  wchar_t wide = (wchar_t)(random_below(2) ? random_bits() : random_below(140));
  mbstate_t state = {0};
  ALLOWS(btowc, c);
  ALLOWS(wctob, (wint_t)wide);
  ALLOWS(wctob, WEOF);
  ALLOWS(mbsinit, &state);
  ALLOWS(mbsinit, NULL);
  for (int i = 0; i < ROOM; i++) {
    to[i] = (wchar_t)random_bits();
    out[i] = (char)random_bits();
  }
  watch(to, sizeof to);
  watch(out, sizeof out);
  watch(&state, sizeof state);
  ALLOWS(mbrtowc, to, bytes, n, &state);
  ALLOWS(mbrtowc, NULL, bytes, n, &state);
  ALLOWS(mbrtowc, to, NULL, n, &state);
  ALLOWS(mbrlen, bytes, n, &state);
  ALLOWS(wcrtomb, out, wide, &state);
  ALLOWS(wcrtomb, NULL, wide, &state);
  ALLOWS(mblen, bytes, n);
  ALLOWS(mblen, NULL, n);
  ALLOWS(mbtowc, to, bytes, n);
  ALLOWS(mbtowc, NULL, bytes, n);
  ALLOWS(mbtowc, to, NULL, n);
  ALLOWS(wctomb, out, wide);
  ALLOWS(wctomb, NULL, wide);
  ALLOWS(mbstowcs, to, bytes, n);
  ALLOWS(mbstowcs, NULL, bytes, n);
  ALLOWS(wcstombs, out, a, n);
  ALLOWS(wcstombs, NULL, a, n);
  const char *source = bytes;
  const wchar_t *wides = a;
  watch(&source, sizeof source);
  watch(&wides, sizeof wides);
  EXACTLY(mbsrtowcs, NULL, &source, n, &state);
  state = (mbstate_t){0};
  EXACTLY(wcsrtombs, NULL, &wides, n, &state);
  state = (mbstate_t){0};
  EXACTLY(mbsrtowcs, to, &source, n, &state);
  state = (mbstate_t){0};
  EXACTLY(wcsrtombs, out, &wides, n, &state);
  unwatch();
}

int main(void) {
  for (int round = 0; round < 700; round++) {
    check_strings();
    check_numbers();
    check_multibyte();
  }
  return 0;
}
