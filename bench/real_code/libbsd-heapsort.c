/* heapsort puts up to four numbers in order, and keeps them: each number is there as often as before. */
#include "harness.h"

int heapsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

static int compare(const void *a, const void *b) {
    signed char x = *(const signed char *)a, y = *(const signed char *)b;
    return (x > y) - (x < y);
}

int main(void) {
    signed char numbers[4], any = (signed char)__VERIFIER_nondet_uchar();
    size_t count = at_most(4);
    int before = 0, after = 0;
    any_bytes(numbers, sizeof numbers);
    for (size_t i = 0; i < count; i++)
        before += numbers[i] == any;
    __VERIFIER_assume(heapsort(numbers, count, 1, compare) == 0); /* there is memory */
    for (size_t i = 0; i < count; i++) {
        after += numbers[i] == any;
        assert(i == 0 || numbers[i - 1] <= numbers[i]);
    }
    assert(before == after);
}
