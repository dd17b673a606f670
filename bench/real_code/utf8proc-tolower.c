/* utf8proc_tolower is idempotent on all code points below U+0250, and what is lower case stays as it is. */
#include "harness.h"
#include "utf8proc.h"

int main(void) {
    utf8proc_int32_t point = (utf8proc_int32_t)at_most(0x24f), lower = utf8proc_tolower(point);
    assert(utf8proc_tolower(lower) == lower);
    assert(lower == point || !utf8proc_islower(point));
}
