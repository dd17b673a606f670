/* strspn is the length of the longest prefix of a string that consists of accepted characters. */
#include "harness.h"

size_t musl_strspn(const char *string, const char *accepted);

static int is_in(char c, const char *set) {
    for (; *set; set++)
        if (*set == c)
            return 1;
    return 0;
}

int main(void) {
    char string[5], accepted[3];
    any_string(string, sizeof string);
    any_string(accepted, sizeof accepted);
    size_t length = musl_strspn(string, accepted);
    for (size_t i = 0; i < length; i++)
        assert(is_in(string[i], accepted));
    assert(string[length] == 0 || !is_in(string[length], accepted));
}
