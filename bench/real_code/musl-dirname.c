/* dirname cuts the last component off a path: what is left begins the path, and does not end with a slash unless it is one. */
#include "harness.h"

char *musl_dirname(char *path);

int main(void) {
    char path[6], before[6];
    any_string(path, sizeof path);
    for (size_t i = 0; i < sizeof path; i++)
        before[i] = path[i];
    size_t length = 0, slash = 0;
    while (before[slash] && before[slash] != '/')
        slash++;
    char *folder = musl_dirname(path);
    while (folder[length])
        length++;
    assert(length > 0 && length < sizeof path);
    assert(length == 1 || folder[length - 1] != '/');
    if (folder != path)
        assert(length == 1 && (folder[0] == '/' ? before[0] == '/' : folder[0] == '.' && before[0] != '/'));
    else
        for (size_t i = 0; i < length; i++)
            assert(folder[i] == before[i]);
    assert(before[slash] || (folder[0] == '.' && length == 1));
}
