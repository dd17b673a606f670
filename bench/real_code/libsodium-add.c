/* sodium_add adds two little-endian numbers of seven bytes modulo 2^56. */
#include "harness.h"
#include <stdint.h>

void sodium_add(unsigned char *a, const unsigned char *b, size_t size);

static uint64_t number(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = 6; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

int main(void) {
    unsigned char a[7], b[7];
    any_bytes(a, sizeof a);
    any_bytes(b, sizeof b);
    uint64_t sum = (number(a) + number(b)) & 0xffffffffffffff;
    sodium_add(a, b, sizeof a);
    assert(number(a) == sum);
}
