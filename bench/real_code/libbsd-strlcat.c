/* strlcat appends as much as fits, ends it with a zero, writes nothing behind `size`, and returns the length that it tried to make. */
#include "harness.h"

size_t strlcat(char *target, const char *source, size_t size);

int main(void) {
    char source[4], target[6], before[6];
    any_string(source, sizeof source);
    any_string(target, sizeof target);
    for (size_t i = 0; i < sizeof target; i++)
        before[i] = target[i];
    size_t added = 0, had = 0, size = at_most(5);
    while (source[added])
        added++;
    while (had < size && target[had])
        had++;
    assert(strlcat(target, source, size) == had + added);
    for (size_t i = 0; i < had; i++)
        assert(target[i] == before[i]);
    if (had < size) {
        size_t end = had + added < size ? had + added : size - 1;
        for (size_t i = had; i < end; i++)
            assert(target[i] == source[i - had]);
        assert(target[end] == 0);
    }
    for (size_t i = size; i < sizeof target; i++)
        assert(target[i] == before[i]);
}
