// Buggy: `clamp` lets one number through that lies in no range. Floats are those of IEEE 754, bit by bit: NaN is one of them.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

static float clamp(float x, float low, float high) {
  if (x < low)
    return low;
  if (x > high)
    return high;
  return x;
}

int main(void) {
  float x = clamp(__VERIFIER_nondet_float(), -1.0f, 1.0f);
  assert(x >= -1.0f && x <= 1.0f);
  return 0;
}
