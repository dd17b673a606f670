/* utf8_iterate accepts four bytes if and only if they begin with the encoding of a code point that utf8_encode writes. */
#include "harness.h"
#include "utf.h"

int main(void) {
    char bytes[4], again[4];
    int32_t point;
    size_t size, has = 1 + at_most(3);
    any_bytes(bytes, sizeof bytes);
    const char *end = utf8_iterate(bytes, has, &point);
    if (end) {
        assert(0 <= point && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff));
        assert(end <= bytes + has);
        assert(utf8_encode(point, again, &size) == 0);
        assert(end - bytes == (long)size);
        for (size_t i = 0; i < size; i++)
            assert(again[i] == bytes[i]);
    }
    int32_t other = (int32_t)at_most(0x10ffff), back;
    __VERIFIER_assume(other < 0xd800 || other > 0xdfff);
    assert(utf8_encode(other, again, &size) == 0);
    assert(utf8_iterate(again, size, &back) == again + size && back == other);
}
