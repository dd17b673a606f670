/* utf8proc_iterate accepts the beginning of four bytes only if utf8proc_encode_char writes the same bytes for the code point. */
#include "harness.h"
#include "utf8proc.h"

int main(void) {
    utf8proc_uint8_t bytes[4], again[4];
    utf8proc_int32_t point;
    utf8proc_ssize_t has = 1 + at_most(3);
    any_bytes(bytes, sizeof bytes);
    utf8proc_ssize_t size = utf8proc_iterate(bytes, has, &point);
    assert(size <= has);
    if (size > 0) {
        assert(utf8proc_codepoint_valid(point));
        assert(utf8proc_encode_char(point, again) == size);
        for (utf8proc_ssize_t i = 0; i < size; i++)
            assert(again[i] == bytes[i]);
    }
}
