/* <math.h>, round to nearest.
 *
 * Exact: absolute value, minimum, maximum, positive difference, sign, classification, rounding to integers, fmod,
 * remainder, sqrt, frexp, ldexp, scalbn, modf, logb, ilogb, nextafter. (fmin and fmax of zeros of
 * different signs: either.) Out of the range of the result, lround and its kin are undefined like the conversion.
 *
 * Over-approximated: the transcendental functions, fma and cbrt return any value, restricted only by facts that hold
 * in every implementation: NaN for NaN and outside the domain, values at 0, 1 and infinity, and the
 * range. Two calls with the same argument may differ.
 *
 * errno may be set to any error by the functions that can fail. Not modelled: the floating-point exceptions, signalling NaNs
 * (treated as quiet ones). */

#include "effects.h"

typedef long double longdouble;
int __VERIFIER_nondet_approximate_int(void);
double __VERIFIER_nondet_approximate_double(void);
float __VERIFIER_nondet_approximate_float(void);
longdouble __VERIFIER_nondet_approximate_longdouble(void);

#define PRIMITIVES(T, s) \
  T __drystone_fp_floor##s(T); \
  T __drystone_fp_ceil##s(T); \
  T __drystone_fp_trunc##s(T); \
  T __drystone_fp_round##s(T); \
  T __drystone_fp_rint##s(T); \
  T __drystone_fp_fmod##s(T, T); \
  T __drystone_fp_sqrt##s(T); \
  T __drystone_fp_abs##s(T);
PRIMITIVES(double, )
PRIMITIVES(float, f)
PRIMITIVES(long double, l)

/* The bits of the three formats. The mantissa of a long double has its leading bit explicit. */
typedef union {
  double value;
  unsigned long long bits;
} bits_of;
typedef union {
  float value;
  unsigned int bits;
} bits_off;
typedef union {
  long double value;
  struct {
    unsigned long long mantissa;
    unsigned short sign_exponent;
  } bits;
} bits_ofl;

static int __drystone_sign(double x) { return (int)((bits_of){x}.bits >> 63); }
static int __drystone_signf(float x) { return (int)((bits_off){x}.bits >> 31); }
static int __drystone_signl(long double x) { return (bits_ofl){x}.bits.sign_exponent >> 15; }

double copysign(double x, double y) {
  bits_of r = {x};
  r.bits = (r.bits & ~(1ULL << 63)) | ((bits_of){y}.bits & 1ULL << 63);
  return r.value;
}

float copysignf(float x, float y) {
  bits_off r = {x};
  r.bits = (r.bits & ~(1U << 31)) | ((bits_off){y}.bits & 1U << 31);
  return r.value;
}

long double copysignl(long double x, long double y) {
  bits_ofl r = {x};
  r.bits.sign_exponent = (unsigned short)((r.bits.sign_exponent & 0x7fff) | ((bits_ofl){y}.bits.sign_exponent & 0x8000));
  return r.value;
}

/* frexp: a subnormal number is scaled up first. */
double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || x - x != 0)
    return x;
  bits_of r = {x};
  if ((r.bits >> 52 & 0x7ff) == 0) {
    r.value = x * 0x1p54;
    *exponent = -54;
  }
  *exponent += (int)(r.bits >> 52 & 0x7ff) - 1022;
  r.bits = (r.bits & ~(0x7ffULL << 52)) | 1022ULL << 52;
  return r.value;
}

/* Every float is a normal double. */
float frexpf(float x, int *exponent) { return (float)frexp(x, exponent); }

long double frexpl(long double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || x - x != 0)
    return x;
  bits_ofl r = {x};
  if ((r.bits.sign_exponent & 0x7fff) == 0) {
    r.value = x * 0x1p70L;
    *exponent = -70;
  }
  *exponent += (r.bits.sign_exponent & 0x7fff) - 16382;
  r.bits.sign_exponent = (unsigned short)((r.bits.sign_exponent & 0x8000) | 16382);
  return r.value;
}

/* scalbn: at most two scalings leave the rest to one multiplication by a normal power of two, which alone rounds: the
 * scalings down keep 53 (64) bits above the smallest normal number. */
double scalbn(double x, int n) {
  SETS_ERRNO;
  for (int i = 0; i < 2 && n > 1023; i++) {
    x *= 0x1p1023;
    n -= 1023;
  }
  for (int i = 0; i < 2 && n < -1022; i++) {
    x *= 0x1p-969;
    n += 969;
  }
  if (n > 1023)
    n = 1023;
  if (n < -1022)
    n = -1022;
  bits_of power = {.bits = (unsigned long long)(n + 1023) << 52};
  return x * power.value;
}

/* The product is exact in double, so that only the conversion rounds. */
float scalbnf(float x, int n) {
  SETS_ERRNO;
  if (n > 400)
    n = 400;
  if (n < -400)
    n = -400;
  bits_of power = {.bits = (unsigned long long)(n + 1023) << 52};
  return (float)(x * power.value);
}

long double scalbnl(long double x, int n) {
  SETS_ERRNO;
  for (int i = 0; i < 2 && n > 16383; i++) {
    x *= 0x1p16383L;
    n -= 16383;
  }
  for (int i = 0; i < 2 && n < -16382; i++) {
    x *= 0x1p-16318L;
    n += 16318;
  }
  if (n > 16383)
    n = 16383;
  if (n < -16382)
    n = -16382;
  bits_ofl power = {.bits = {1ULL << 63, (unsigned short)(n + 16383)}};
  return x * power.value;
}

/* nextafter: neighbouring numbers have neighbouring bits. */
double nextafter(double x, double y) {
  SETS_ERRNO;
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  bits_of r = {x};
  if (x == 0)
    r.bits = y > 0 ? 1 : 1ULL << 63 | 1;
  else if ((x < y) == (x > 0))
    r.bits++;
  else
    r.bits--;
  return r.value;
}

float nextafterf(float x, float y) {
  SETS_ERRNO;
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  bits_off r = {x};
  if (x == 0)
    r.bits = y > 0 ? 1 : 1U << 31 | 1;
  else if ((x < y) == (x > 0))
    r.bits++;
  else
    r.bits--;
  return r.value;
}

long double nextafterl(long double x, long double y) {
  SETS_ERRNO;
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  const unsigned long long leading = 1ULL << 63;
  bits_ofl r = {x};
  if (x == 0) {
    r.bits.mantissa = 1;
    r.bits.sign_exponent = y > 0 ? 0 : 0x8000;
  } else if ((x < y) == (x > 0)) {
    r.bits.mantissa++;
    if (r.bits.mantissa == 0) {
      r.bits.mantissa = leading;
      r.bits.sign_exponent++;
    } else if (r.bits.mantissa == leading) {
      r.bits.sign_exponent++; /* the smallest normal number */
    }
  } else if (r.bits.mantissa == leading) {
    r.bits.sign_exponent--;
    r.bits.mantissa = (r.bits.sign_exponent & 0x7fff) == 0 ? leading - 1 : ~0ULL;
  } else {
    r.bits.mantissa--;
  }
  return r.value;
}

/* Which NaN it is, with which sign, is up to the implementation. */
#define NAN_OF(T, s) \
  static T __drystone_nan##s(void) { \
    T y = __VERIFIER_nondet_approximate_##T(); \
    return y != y ? y : __builtin_nan##s(""); \
  }
NAN_OF(double, )
NAN_OF(float, f)
NAN_OF(longdouble, l)

/* remainder: fmod by 2y first, then at most two subtractions of y, which are exact. */
double remainder(double x, double y) {
  SETS_ERRNO;
  if (x != x || y != y || x - x != 0 || y == 0)
    return __drystone_nan();
  double r = __drystone_fp_abs(x);
  double a = __drystone_fp_abs(y);
  if (a <= __DBL_MAX__ / 2)
    r = __drystone_fp_fmod(r, a + a);
  /* 2r > a, written without overflow: for a large a, 2r may not exist; for a small one, a / 2 may not. */
  if (a > 1 ? r > a / 2 : r + r > a) {
    r -= a;
    if (a > 1 ? r >= a / 2 : r + r >= a)
      r -= a;
  }
  return __drystone_sign(x) ? -r : r;
}

/* The remainder of two floats is a float. */
float remainderf(float x, float y) { return (float)remainder(x, y); }
double drem(double x, double y) { return remainder(x, y); }
float dremf(float x, float y) { return remainderf(x, y); }

long double remainderl(long double x, long double y) {
  SETS_ERRNO;
  if (x != x || y != y || x - x != 0 || y == 0)
    return __drystone_nanl();
  long double r = __drystone_fp_absl(x);
  long double a = __drystone_fp_absl(y);
  if (a <= __LDBL_MAX__ / 2)
    r = __drystone_fp_fmodl(r, a + a);
  if (a > 1 ? r > a / 2 : r + r > a) {
    r -= a;
    if (a > 1 ? r >= a / 2 : r + r >= a)
      r -= a;
  }
  return __drystone_signl(x) ? -r : r;
}

long double dreml(long double x, long double y) { return remainderl(x, y); }

#define MODELS(T, s, MIN_NORMAL) \
  static T __drystone_either##s(T x, T y) { \
    return __drystone_sign##s(x) == __drystone_sign##s(y) || __VERIFIER_nondet_approximate_int() != 0 ? x : y; \
  } \
  T fabs##s(T x) { return __drystone_fp_abs##s(x); } \
  T fmin##s(T x, T y) { return x == 0 && y == 0 ? __drystone_either##s(x, y) : x <= y || y != y ? x : y; } \
  T fmax##s(T x, T y) { return x == 0 && y == 0 ? __drystone_either##s(x, y) : x >= y || y != y ? x : y; } \
  T fdim##s(T x, T y) { \
    SETS_ERRNO; \
    return x <= y ? 0 : x - y; \
  } \
  T floor##s(T x) { return __drystone_fp_floor##s(x); } \
  T ceil##s(T x) { return __drystone_fp_ceil##s(x); } \
  T trunc##s(T x) { return __drystone_fp_trunc##s(x); } \
  T round##s(T x) { return __drystone_fp_round##s(x); } \
  T roundeven##s(T x) { return __drystone_fp_rint##s(x); } \
  T rint##s(T x) { return __drystone_fp_rint##s(x); } \
  T nearbyint##s(T x) { return __drystone_fp_rint##s(x); } \
  long lround##s(T x) { \
    SETS_ERRNO; \
    return (long)__drystone_fp_round##s(x); \
  } \
  long long llround##s(T x) { \
    SETS_ERRNO; \
    return (long long)__drystone_fp_round##s(x); \
  } \
  long lrint##s(T x) { \
    SETS_ERRNO; \
    return (long)__drystone_fp_rint##s(x); \
  } \
  long long llrint##s(T x) { \
    SETS_ERRNO; \
    return (long long)__drystone_fp_rint##s(x); \
  } \
  T fmod##s(T x, T y) { \
    SETS_ERRNO; \
    return __drystone_fp_fmod##s(x, y); \
  } \
  T sqrt##s(T x) { \
    SETS_ERRNO; \
    return __drystone_fp_sqrt##s(x); \
  } \
  T ldexp##s(T x, int n) { return scalbn##s(x, n); } \
  T scalbln##s(T x, long n) { return scalbn##s(x, n > 99999 ? 99999 : n < -99999 ? -99999 : (int)n); } \
  T modf##s(T x, T *integer) { \
    *integer = __drystone_fp_trunc##s(x); \
    return copysign##s(x - x != 0 && x == x ? 0 : x - *integer, x); \
  } \
  int ilogb##s(T x) { \
    SETS_ERRNO; \
    if (x == 0 || x != x) \
      return -__INT_MAX__ - 1; \
    if (x - x != 0) \
      return __INT_MAX__; \
    int exponent; \
    frexp##s(x, &exponent); \
    return exponent - 1; \
  } \
  T logb##s(T x) { \
    SETS_ERRNO; \
    if (x == 0) \
      return -__builtin_inf##s(); \
    if (x - x != 0) \
      return x * x; \
    return ilogb##s(x); \
  } \
  T nan##s(const char *tag) { return tag[0] == 0 ? __builtin_nan##s("") : __drystone_nan##s(); } \
  int __isnan##s(T x) { return x != x; } \
  int __isinf##s(T x) { return x == x && x - x != 0 ? (x > 0 ? 1 : -1) : 0; } \
  int __finite##s(T x) { return x - x == 0; } \
  int isnan##s(T x) { return x != x; } \
  int isinf##s(T x) { return x == x && x - x != 0 ? (x > 0 ? 1 : -1) : 0; } \
  int finite##s(T x) { return x - x == 0; } \
  int __signbit##s(T x) { return __drystone_sign##s(x); } \
  int __fpclassify##s(T x) { \
    if (x != x) \
      return 0; \
    if (x - x != 0) \
      return 1; \
    if (x == 0) \
      return 2; \
    return __drystone_fp_abs##s(x) < MIN_NORMAL ? 3 : 4; \
  }
MODELS(double, , __DBL_MIN__)
MODELS(float, f, __FLT_MIN__)
MODELS(long double, l, __LDBL_MIN__)

/* A function of which is known: NaN for NaN and where `undefined`, `value` where `exact`, and elsewhere that
 * the result y satisfies `fact`. */
#define ANY(T, s, name, undefined, exact, value, fact) \
  T name##s(T x) { \
    SETS_ERRNO; \
    if (x != x || (undefined)) \
      return __drystone_nan##s(); \
    if (exact) \
      return value; \
    T y = __VERIFIER_nondet_approximate_##T(); \
    __VERIFIER_assume(fact); \
    return y; \
  }
#define INFINITE (x - x != 0)
#define TRANSCENDENTAL(T, s) \
  ANY(T, s, sin, INFINITE, x == 0, x, -1 <= y && y <= 1) \
  ANY(T, s, cos, INFINITE, x == 0, 1, -1 <= y && y <= 1) \
  ANY(T, s, tan, INFINITE, x == 0, x, y - y == 0) \
  ANY(T, s, asin, x < -1 || x > 1, x == 0, x, -2 < y && y < 2) \
  ANY(T, s, acos, x < -1 || x > 1, x == 1, 0, 0 <= y && y < 4) \
  ANY(T, s, atan, 0, x == 0, x, -2 < y && y < 2) \
  ANY(T, s, sinh, 0, x == 0 || INFINITE, x, x > 0 ? y >= 0 : y <= 0) \
  ANY(T, s, cosh, 0, x == 0 || INFINITE, x == 0 ? 1 : x * x, y >= 0) \
  ANY(T, s, tanh, 0, x == 0, x, -1 <= y && y <= 1) \
  ANY(T, s, asinh, 0, x == 0 || INFINITE, x, x > 0 ? y >= 0 : y <= 0) \
  ANY(T, s, acosh, x < 1, x == 1 || INFINITE, x == 1 ? 0 : x, y >= 0) \
  ANY(T, s, atanh, x < -1 || x > 1, x == 0, x, x > 0 ? y >= 0 : y <= 0) \
  ANY(T, s, exp, 0, x == 0 || INFINITE, x == 0 ? 1 : x > 0 ? x : 0, y >= 0) \
  ANY(T, s, exp2, 0, x == 0 || INFINITE, x == 0 ? 1 : x > 0 ? x : 0, y >= 0) \
  ANY(T, s, exp10, 0, x == 0 || INFINITE, x == 0 ? 1 : x > 0 ? x : 0, y >= 0) \
  ANY(T, s, expm1, 0, x == 0, x, y > -2) \
  ANY(T, s, log, x < 0, x == 0 || x == 1 || INFINITE, x == 0 ? -__builtin_inf##s() : x == 1 ? 0 : x, y - y == 0) \
  ANY(T, s, log2, x < 0, x == 0 || x == 1 || INFINITE, x == 0 ? -__builtin_inf##s() : x == 1 ? 0 : x, y - y == 0) \
  ANY(T, s, log10, x < 0, x == 0 || x == 1 || INFINITE, x == 0 ? -__builtin_inf##s() : x == 1 ? 0 : x, y - y == 0) \
  ANY(T, s, log1p, x < -1, x == 0 || x == -1 || INFINITE, x == -1 ? -__builtin_inf##s() : x, y - y == 0) \
  ANY(T, s, cbrt, 0, x == 0 || INFINITE, x, y - y == 0 && (x > 0 ? y >= 0 : y <= 0)) \
  ANY(T, s, erf, 0, x == 0, x, -1 <= y && y <= 1) \
  ANY(T, s, erfc, 0, x == 0, 1, 0 <= y && y <= 2) \
  ANY(T, s, tgamma, x == -__builtin_inf##s(), 0, 0, 1) \
  T lgamma##s(T x) { \
    REFUSE_WITH("signgam"); \
    SETS_ERRNO; \
    if (x != x || INFINITE) \
      return x * x; \
    return __VERIFIER_nondet_approximate_##T(); \
  } \
  T atan2##s(T y, T x) { \
    SETS_ERRNO; \
    if (x != x || y != y) \
      return __drystone_nan##s(); \
    T z = __VERIFIER_nondet_approximate_##T(); \
    __VERIFIER_assume(-4 < z && z < 4); \
    return z; \
  } \
  T hypot##s(T x, T y) { \
    SETS_ERRNO; \
    T z = __VERIFIER_nondet_approximate_##T(); \
    __VERIFIER_assume(z >= 0 || x != x || y != y); \
    return z; \
  } \
  T pow##s(T x, T y) { \
    SETS_ERRNO; \
    if (x == 1 || y == 0) \
      return 1; \
    if (x != x || y != y) \
      return __drystone_nan##s(); \
    T z = __VERIFIER_nondet_approximate_##T(); \
    __VERIFIER_assume(x <= 0 || z >= 0); \
    return z; \
  } \
  T fma##s(T x, T y, T z) { \
    SETS_ERRNO; \
    return __VERIFIER_nondet_approximate_##T(); \
  } \
  void sincos##s(T x, T *sine, T *cosine) { \
    *sine = sin##s(x); \
    *cosine = cos##s(x); \
  }
TRANSCENDENTAL(double, )
TRANSCENDENTAL(float, f)
TRANSCENDENTAL(longdouble, l)
