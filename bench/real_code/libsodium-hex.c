/* sodium_hex2bin reads what sodium_bin2hex writes: three bytes survive the round trip, and the digits are lower case. */
#include "harness.h"

char *sodium_bin2hex(char *hex, size_t hex_size, const unsigned char *bin, size_t bin_size);
int sodium_hex2bin(unsigned char *bin, size_t bin_size, const char *hex, size_t hex_size, const char *ignore, size_t *read,
                   const char **end);

void sodium_misuse(void) {
    assert(0);
}

int main(void) {
    unsigned char bytes[3], again[3];
    char hex[7];
    size_t size = at_most(3), read;
    any_bytes(bytes, sizeof bytes);
    sodium_bin2hex(hex, sizeof hex, bytes, size);
    for (size_t i = 0; i < 2 * size; i++)
        assert((hex[i] >= '0' && hex[i] <= '9') || (hex[i] >= 'a' && hex[i] <= 'f'));
    assert(hex[2 * size] == 0);
    assert(sodium_hex2bin(again, sizeof again, hex, 2 * size, 0, &read, 0) == 0);
    assert(read == size);
    for (size_t i = 0; i < size; i++)
        assert(again[i] == bytes[i]);
}
