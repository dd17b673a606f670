/* The models of wctype.c against glibc, for all small characters and some large ones. */
#define _GNU_SOURCE
#include "support.h"

#include <wchar.h>
#include <wctype.h>

MODEL(iswalnum); MODEL(iswalpha); MODEL(iswblank); MODEL(iswcntrl); MODEL(iswdigit); MODEL(iswgraph); MODEL(iswlower);
MODEL(iswprint); MODEL(iswpunct); MODEL(iswspace); MODEL(iswupper); MODEL(iswxdigit); MODEL(towlower); MODEL(towupper);
MODEL(wctype); MODEL(iswctype);

#define SAME_TRUTH(f) CHECK(!f(c) == !model_##f(c), #f "(%u)", c)

static void check(wint_t c) {
  static const char *names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower",
                                "print", "punct", "space", "upper", "xdigit", "no",   "alphax"};
  SAME_TRUTH(iswalnum);
  SAME_TRUTH(iswalpha);
  SAME_TRUTH(iswblank);
  SAME_TRUTH(iswcntrl);
  SAME_TRUTH(iswdigit);
  SAME_TRUTH(iswgraph);
  SAME_TRUTH(iswlower);
  SAME_TRUTH(iswprint);
  SAME_TRUTH(iswpunct);
  SAME_TRUTH(iswspace);
  SAME_TRUTH(iswupper);
  SAME_TRUTH(iswxdigit);
  CHECK(towlower(c) == model_towlower(c) && towupper(c) == model_towupper(c), "%u", c);
  for (int i = 0; i < 14; i++) {
    CHECK(!wctype(names[i]) == !model_wctype(names[i]), "wctype");
    CHECK(!iswctype(c, wctype(names[i])) == !model_iswctype(c, model_wctype(names[i])), "iswctype(%u, %s)", c, names[i]);
  }
}

int main(void) {
  for (wint_t c = 0; c < 700; c++)
    check(c);
  for (int round = 0; round < 1000; round++)
    check((wint_t)(random_bits() >> random_below(60)));
  check(WEOF);
  return 0;
}
