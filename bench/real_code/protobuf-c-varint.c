/* A signed number survives sint32_pack, scan_varint, parse_uint32 and unzigzag32, in as many bytes as sint32_size says. */
#include "protobuf-c.c"

#include "harness.h"

int main(void) {
    uint8_t bytes[6];
    int32_t number = __VERIFIER_nondet_int();
    bytes[5] = 0xff;
    size_t size = sint32_pack(number, bytes);
    assert(size <= 5 && size == sint32_size(number));
    assert(scan_varint(5, bytes) == size);
    assert(unzigzag32(parse_uint32(size, bytes)) == number);
    assert(bytes[5] == 0xff);
}
