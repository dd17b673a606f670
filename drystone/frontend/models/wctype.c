/* <wctype.h> in the C locale, where characters above 127 belong to no class. Exact, but for which nonzero value the predicates
 * return: 1 here, some bit in glibc. A wctype_t is an address, as in glibc. */
#include <wctype.h>

int iswdigit(wint_t c) { return '0' <= c && c <= '9'; }
int iswupper(wint_t c) { return 'A' <= c && c <= 'Z'; }
int iswlower(wint_t c) { return 'a' <= c && c <= 'z'; }
int iswalpha(wint_t c) { return ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z'); }
int iswalnum(wint_t c) { return ('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z'); }
int iswxdigit(wint_t c) { return ('0' <= c && c <= '9') || ('A' <= c && c <= 'F') || ('a' <= c && c <= 'f'); }
int iswblank(wint_t c) { return c == ' ' || c == '\t'; }
int iswspace(wint_t c) { return c == ' ' || ('\t' <= c && c <= '\r'); }
int iswcntrl(wint_t c) { return c < 32 || c == 127; }
int iswprint(wint_t c) { return 32 <= c && c < 127; }
int iswgraph(wint_t c) { return 32 < c && c < 127; }
int iswpunct(wint_t c) {
  return ('!' <= c && c <= '/') || (':' <= c && c <= '@') || ('[' <= c && c <= '`') || ('{' <= c && c <= '~');
}
wint_t towlower(wint_t c) { return 'A' <= c && c <= 'Z' ? c + ('a' - 'A') : c; }
wint_t towupper(wint_t c) { return 'a' <= c && c <= 'z' ? c - ('a' - 'A') : c; }

static _Bool __drystone_same_name(const char *left, const char *right) {
  while (*left != 0 && *left == *right) {
    left++;
    right++;
  }
  return *left == *right;
}

static const char __drystone_classes[12][7] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                               "lower", "print", "punct", "space", "upper", "xdigit"};

wctype_t wctype(const char *name) {
  for (int i = 0; i < 12; i++)
    if (__drystone_same_name(name, __drystone_classes[i]))
      return (wctype_t)__drystone_classes[i];
  return 0;
}

int iswctype(wint_t c, wctype_t class) {
  int known = 0;
  while (known < 12 && class != (wctype_t)__drystone_classes[known])
    known++;
  switch (known) {
  case 0: return iswalnum(c);
  case 1: return iswalpha(c);
  case 2: return iswblank(c);
  case 3: return iswcntrl(c);
  case 4: return iswdigit(c);
  case 5: return iswgraph(c);
  case 6: return iswlower(c);
  case 7: return iswprint(c);
  case 8: return iswpunct(c);
  case 9: return iswspace(c);
  case 10: return iswupper(c);
  case 11: return iswxdigit(c);
  }
  return 0;
}
