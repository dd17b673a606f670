/* strnstr finds the first occurrence of a string within the first `size` characters of another one, or says that there is none. */
#include "harness.h"

char *strnstr(const char *string, const char *wanted, size_t size);

int main(void) {
    char string[5], wanted[3], *expected = 0;
    size_t size = at_most(sizeof string), length = 0;
    any_string(string, sizeof string);
    any_string(wanted, sizeof wanted);
    while (wanted[length])
        length++;
    for (size_t start = 0; start + length <= size && !expected; start++) {
        size_t same = 0;
        while (same < length && string[start + same] && string[start + same] == wanted[same])
            same++;
        if (same == length)
            expected = string + start;
        if (!string[start])
            break;
    }
    assert(strnstr(string, wanted, size) == expected);
}
