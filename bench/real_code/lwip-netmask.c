/* A netmask is valid if and only if its complement in host order is one less than a power of two. */
#include "harness.h"
#include "lwip/def.h"
#include "lwip/ip4_addr.h"

int main(void) {
    u32_t mask = __VERIFIER_nondet_uint(), hosts = ~mask;
    assert(ip4_addr_netmask_valid(lwip_htonl(mask)) == ((hosts & (hosts + 1)) == 0));
}
