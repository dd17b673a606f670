/* memmem finds the first occurrence of a needle of up to three bytes in up to six bytes, or says that there is none. */
#include "harness.h"

void *musl_memmem(const void *haystack, size_t size, const void *needle, size_t length);

int main(void) {
    unsigned char haystack[6], needle[3];
    size_t size = at_most(sizeof haystack), length = at_most(sizeof needle);
    any_bytes(haystack, sizeof haystack);
    any_bytes(needle, sizeof needle);
    unsigned char *found = musl_memmem(haystack, size, needle, length), *expected = 0;
    for (size_t start = 0; start + length <= size && !expected; start++) {
        size_t same = 0;
        while (same < length && haystack[start + same] == needle[same])
            same++;
        if (same == length)
            expected = haystack + start;
    }
    assert(found == expected);
}
