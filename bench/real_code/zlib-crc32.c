/* crc32 of up to two bytes, from any checksum on, is what the polynomial gives bit by bit (RFC 1952). */
#include "harness.h"
#include "zlib.h"

int main(void) {
    unsigned char bytes[2];
    unsigned int size = at_most(sizeof bytes), sum = __VERIFIER_nondet_uint(), expected = ~sum;
    any_bytes(bytes, sizeof bytes);
    for (unsigned int i = 0; i < size; i++) {
        expected ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            expected = expected & 1 ? expected >> 1 ^ 0xedb88320 : expected >> 1;
    }
    assert(crc32(sum, bytes, size) == (~expected & 0xffffffff));
}
