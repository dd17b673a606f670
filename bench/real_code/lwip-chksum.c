/* inet_chksum of up to six bytes at an even or odd address is the complement of the sum of their big-endian words (RFC 1071). */
#include "harness.h"
#include "lwip/def.h"
#include "lwip/inet_chksum.h"

int main(void) {
    union {
        u16_t words[4];
        u8_t bytes[8];
    } packet;
    u8_t *data = packet.bytes + at_most(1);
    u16_t size = (u16_t)at_most(6);
    u32_t sum = 0;
    any_bytes(packet.bytes, sizeof packet.bytes);
    for (u16_t i = 0; i < size; i++)
        sum += i % 2 ? data[i] : (u32_t)data[i] << 8;
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    assert(inet_chksum(data, size) == lwip_htons((u16_t)~sum));
}
