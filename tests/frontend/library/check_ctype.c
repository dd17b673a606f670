/* The models of ctype.c against glibc, for every argument that the standard allows. */
#define _GNU_SOURCE
#include "support.h"

#include <ctype.h>
#undef isalnum
#undef isalpha
#undef isascii
#undef isblank
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef toascii
#undef tolower
#undef toupper

#define PREDICATES(X) \
  X(isalnum) X(isalpha) X(isascii) X(isblank) X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint) X(ispunct) X(isspace) \
  X(isupper) X(isxdigit)
#define DECLARE(f) MODEL(f);
PREDICATES(DECLARE)
MODEL(toascii); MODEL(tolower); MODEL(toupper); MODEL(__ctype_b_loc); MODEL(__ctype_tolower_loc); MODEL(__ctype_toupper_loc);

int main(void) {
  for (int c = -1; c < 256; c++) {
#define SAME(f) CHECK(!f(c) == !model_##f(c), #f "(%d)", c);
    PREDICATES(SAME)
    CHECK(toascii(c) == model_toascii(c), "toascii(%d)", c);
    CHECK(tolower(c) == model_tolower(c), "tolower(%d)", c);
    CHECK(toupper(c) == model_toupper(c), "toupper(%d)", c);
  }
  for (int c = -128; c < 256; c++) {
    CHECK((*__ctype_b_loc())[c] == (*model___ctype_b_loc())[c], "%d: %x", c, (*__ctype_b_loc())[c]);
    CHECK((*__ctype_tolower_loc())[c] == (*model___ctype_tolower_loc())[c], "%d", c);
    CHECK((*__ctype_toupper_loc())[c] == (*model___ctype_toupper_loc())[c], "%d", c);
  }
  return 0;
}
