/* bsearch finds a key in up to six numbers in order if and only if it is there. */
#include "harness.h"

void *musl_bsearch(const void *key, const void *base, size_t count, size_t width, int (*compare)(const void *, const void *));

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void) {
    int numbers[6], key = __VERIFIER_nondet_int(), is_there = 0;
    size_t count = at_most(6);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(i == 0 || numbers[i - 1] <= numbers[i]);
        is_there |= numbers[i] == key;
    }
    int *found = musl_bsearch(&key, numbers, count, sizeof *numbers, compare);
    assert((found != 0) == is_there);
    assert(found == 0 || (numbers <= found && found < numbers + count && *found == key));
}
