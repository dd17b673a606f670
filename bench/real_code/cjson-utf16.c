/* utf16_literal_to_utf8 turns the escape sequence of a code point into its UTF-8 encoding, with surrogates where needed. */
#include "cJSON.c"
#include "harness.h"

static unsigned char digit(unsigned int value) {
    return (unsigned char)(value < 10 ? '0' + value : 'a' + value - 10);
}

static void escape(unsigned char *text, unsigned int unit) {
    text[0] = '\\';
    text[1] = 'u';
    for (int i = 0; i < 4; i++)
        text[2 + i] = digit(unit >> (12 - 4 * i) & 15);
}

static unsigned int decoded(const unsigned char *bytes, long size) {
    if (size == 1)
        return bytes[0];
    unsigned int value = bytes[0] & (0x7f >> size);
    for (long i = 1; i < size; i++)
        value = value << 6 | (bytes[i] & 0x3f);
    return value;
}

int main(void) {
    unsigned char text[12], encoded[4], *end = encoded;
    unsigned int point = at_most(0x10ffff), used = 6;
    __VERIFIER_assume(point < 0xd800 || point > 0xdfff);
    if (point < 0x10000) {
        escape(text, point);
    } else {
        escape(text, 0xd800 + ((point - 0x10000) >> 10));
        escape(text + 6, 0xdc00 + ((point - 0x10000) & 0x3ff));
        used = 12;
    }
    assert(utf16_literal_to_utf8(text, text + used, &end) == used);
    assert(end - encoded == (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4));
    assert(decoded(encoded, end - encoded) == point);
}
