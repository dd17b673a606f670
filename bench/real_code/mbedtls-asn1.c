/* mbedtls_asn1_get_len: what is accepted lies within the eight bytes that are there, and the length is the one of DER. */
#include "harness.h"
#include "mbedtls/asn1.h"

int main(void) {
    unsigned char bytes[8], *p = bytes;
    size_t size = at_most(sizeof bytes), length;
    any_bytes(bytes, sizeof bytes);
    if (mbedtls_asn1_get_len(&p, bytes + size, &length) == 0) {
        assert(bytes < p && p <= bytes + size);
        assert(length <= (size_t)(bytes + size - p));
        size_t digits = bytes[0] & 0x80 ? bytes[0] & 0x7f : 0, value = 0;
        assert((size_t)(p - bytes) == 1 + digits);
        for (size_t i = 1; i <= digits; i++)
            value = value << 8 | bytes[i];
        assert(length == (digits ? value : bytes[0]));
    }
}
