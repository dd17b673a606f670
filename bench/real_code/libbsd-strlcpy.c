/* strlcpy copies as much as fits, ends it with a zero, writes nothing behind that, and returns the length of the source. */
#include "harness.h"

size_t strlcpy(char *target, const char *source, size_t size);

int main(void) {
    char source[5], target[5], before[5];
    any_string(source, sizeof source);
    any_bytes(target, sizeof target);
    for (size_t i = 0; i < sizeof target; i++)
        before[i] = target[i];
    size_t length = 0, size = at_most(4);
    while (source[length])
        length++;
    assert(strlcpy(target, source, size) == length);
    size_t copied = size == 0 ? 0 : length < size ? length : size - 1;
    for (size_t i = 0; i < copied; i++)
        assert(target[i] == source[i]);
    assert(size == 0 || target[copied] == 0);
    for (size_t i = size; i < sizeof target; i++)
        assert(target[i] == before[i]);
}
