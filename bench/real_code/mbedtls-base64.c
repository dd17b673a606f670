/* mbedtls_base64_decode reads what mbedtls_base64_encode writes: up to three bytes survive the round trip. */
#include "harness.h"
#include "mbedtls/base64.h"

int main(void) {
    unsigned char bytes[3], text[5], again[3];
    size_t size = at_most(3), length = 0, read = 0;
    any_bytes(bytes, sizeof bytes);
    assert(mbedtls_base64_encode(text, sizeof text, &length, bytes, size) == 0);
    assert(length == (size ? 4 : 0));
    assert(mbedtls_base64_decode(again, sizeof again, &read, text, length) == 0);
    assert(read == size);
    for (size_t i = 0; i < size; i++)
        assert(again[i] == bytes[i]);
}
