/* sodium_unpad gives back the length that sodium_pad was told; all bytes before the padding stay. */
#include "harness.h"

int sodium_pad(size_t *padded, unsigned char *buffer, size_t size, size_t block, size_t room);
int sodium_unpad(size_t *size, const unsigned char *buffer, size_t padded, size_t block);

void sodium_misuse(void) {
    assert(0);
}

int main(void) {
    unsigned char buffer[8], before[8];
    size_t size = at_most(7), block = 1 + at_most(4), padded, again;
    any_bytes(buffer, sizeof buffer);
    for (size_t i = 0; i < sizeof buffer; i++)
        before[i] = buffer[i];
    if (sodium_pad(&padded, buffer, size, block, sizeof buffer) == 0) {
        assert(padded > size && padded <= sizeof buffer && padded % block == 0);
        for (size_t i = 0; i < sizeof buffer; i++)
            assert((i >= size && i < padded) || buffer[i] == before[i]);
        assert(sodium_unpad(&again, buffer, padded, block) == 0);
        assert(again == size);
    } else {
        assert(size - size % block + block > sizeof buffer);
    }
}
