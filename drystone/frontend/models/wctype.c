/* <wctype.h> in the C locale, where characters above 127 belong to no class. Exact, but for which nonzero value the predicates
 * return: 1 here, some bit in glibc. A wctype_t here is a number from 1 to 12, an address in glibc. */
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

wctype_t wctype(const char *name) {
  static const char names[12][7] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                    "lower", "print", "punct", "space", "upper", "xdigit"};
  for (int i = 0; i < 12; i++)
    if (__drystone_same_name(name, names[i]))
      return (wctype_t)(i + 1);
  return 0;
}

int iswctype(wint_t c, wctype_t class) {
  switch (class) {
  case 1: return iswalnum(c);
  case 2: return iswalpha(c);
  case 3: return iswblank(c);
  case 4: return iswcntrl(c);
  case 5: return iswdigit(c);
  case 6: return iswgraph(c);
  case 7: return iswlower(c);
  case 8: return iswprint(c);
  case 9: return iswpunct(c);
  case 10: return iswspace(c);
  case 11: return iswupper(c);
  case 12: return iswxdigit(c);
  }
  return 0;
}
