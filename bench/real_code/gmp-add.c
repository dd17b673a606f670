/* mpn_add of a number of up to four limbs and a shorter one is their sum, limb by limb with a carry that 128 bits hold. */
#include "harness.h"
#include "mini-gmp.h"

int main(void) {
    mp_limb_t a[4], b[4], sum[4];
    mp_size_t long_ = 1 + at_most(3), short_ = 1 + at_most(3);
    unsigned __int128 carry = 0;
    __VERIFIER_assume(short_ <= long_);
    any_bytes(a, sizeof a);
    any_bytes(b, sizeof b);
    mp_limb_t last = mpn_add(sum, a, long_, b, short_);
    for (mp_size_t i = 0; i < long_; i++) {
        carry += (unsigned __int128)a[i] + (i < short_ ? b[i] : 0);
        assert(sum[i] == (mp_limb_t)carry);
        carry >>= 64;
    }
    assert(last == carry);
}
