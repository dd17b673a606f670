/* adler32 of up to four bytes, from any valid checksum on, is what RFC 1950 defines byte by byte. */
#include "harness.h"
#include "zlib.h"

int main(void) {
    unsigned char bytes[4];
    unsigned int size = at_most(sizeof bytes), low = at_most(65520), high = at_most(65520);
    any_bytes(bytes, sizeof bytes);
    unsigned long sum = adler32((unsigned long)high << 16 | low, bytes, size);
    for (unsigned int i = 0; i < size; i++) {
        low += bytes[i];
        low -= low >= 65521 ? 65521 : 0;
        high += low;
        high -= high >= 65521 ? 65521 : 0;
    }
    assert(sum == ((unsigned long)high << 16 | low));
}
