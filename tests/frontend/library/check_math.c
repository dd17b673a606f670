/* The models of math.c against glibc: exact functions agree bit for bit (any NaN equals any NaN); for the
 * others, the value that glibc computes is among those that the model allows. */
#define _GNU_SOURCE
#include "support.h"

#include <math.h>
#include <string.h>
#undef isnan
#undef isinf

#define EXACT1(X) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(roundeven) X(rint) X(nearbyint) X(sqrt) X(logb)
#define EXACT2(X) X(fdim) X(copysign) X(fmod)
#define ANY1(X) \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(exp) X(exp2) X(exp10) X(expm1) \
  X(log) X(log2) X(log10) X(log1p) X(cbrt) X(erf) X(erfc) X(tgamma) X(lgamma)
#define ANY2(X) X(atan2) X(hypot) X(pow)

extern int __isnan(double), __isinf(double), __finite(double), __signbit(double), __fpclassify(double);
extern int __isnanf(float), __isinff(float), __finitef(float), __signbitf(float), __fpclassifyf(float);
extern int __isnanl(long double), __isinfl(long double), __finitel(long double), __signbitl(long double), __fpclassifyl(long double);

#define DECLARE3(name) MODEL(name); MODEL(name##f); MODEL(name##l);
EXACT1(DECLARE3) EXACT2(DECLARE3) ANY1(DECLARE3) ANY2(DECLARE3)
DECLARE3(frexp) DECLARE3(ldexp) DECLARE3(scalbn) DECLARE3(scalbln) DECLARE3(modf) DECLARE3(ilogb) DECLARE3(fmin) DECLARE3(fmax)
DECLARE3(lround) DECLARE3(llround) DECLARE3(lrint) DECLARE3(llrint) DECLARE3(nextafter) DECLARE3(remainder) DECLARE3(drem)
DECLARE3(__isnan) DECLARE3(__isinf) DECLARE3(__finite) DECLARE3(__signbit) DECLARE3(__fpclassify)
DECLARE3(fma) DECLARE3(sincos)

#define SAME(x, y) (((x) != (x) && (y) != (y)) || ((x) == (y) && !signbit(x) == !signbit(y)))

static double random_double(void) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1p-1022,
                                   0x1.fffffffffffffp-1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p52, 0x1.8p52, 4503599627370497.5,
                                   0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1p23, 8388609.5, 0.49999999999999994, 2.0, 3.0, 10.0};
  uint64_t bits = random_bits();
  double x;
  switch (random_below(4)) {
  case 0:
    return special[random_below((int)(sizeof special / sizeof *special))];
  case 1:
    return (double)(int64_t)random_bits() * 0x1p-40;
  case 2:
    return random_below(4000) / 8.0 - 250;
  default:
    memcpy(&x, &bits, sizeof x);
    return x != x ? NAN : x; /* not a signalling one */
  }
}

static uint64_t bits(double x) {
  uint64_t result;
  memcpy(&result, &x, sizeof result);
  return result;
}

static uint64_t bitsf(float x) {
  uint32_t result;
  memcpy(&result, &x, sizeof result);
  return result;
}

#define CHECK_EXACT(T, s, x, y, n) \
  { \
    T p, q; \
    int i, j; \
    p = frexp##s(x, &i); \
    q = model_frexp##s(x, &j); \
    CHECK(SAME(p, q) && (i == j || x - x != 0), "frexp" #s " of %La: %La, %d, not %La, %d", (long double)x, (long double)q, j, (long double)p, i); \
    p = ldexp##s(x, n); \
    CHECK(SAME(p, model_ldexp##s(x, n)), "ldexp" #s " of %La, %d", (long double)x, n); \
    CHECK(SAME(p, model_scalbn##s(x, n)) && SAME(p, model_scalbln##s(x, n)), "scalbn" #s " of %La, %d", (long double)x, n); \
    T whole, model_whole; \
    p = modf##s(x, &whole); \
    q = model_modf##s(x, &model_whole); \
    CHECK(SAME(p, q) && SAME(whole, model_whole), "modf" #s " of %La", (long double)x); \
    CHECK(ilogb##s(x) == model_ilogb##s(x), "ilogb" #s " of %La", (long double)x); \
    p = fmin##s(x, y); \
    q = model_fmin##s(x, y); \
    CHECK(p == q || (p != p && q != q), "fmin" #s " of %La, %La", (long double)x, (long double)y); \
    p = fmax##s(x, y); \
    q = model_fmax##s(x, y); \
    CHECK(p == q || (p != p && q != q), "fmax" #s " of %La, %La", (long double)x, (long double)y); \
    if (fabs##s(x) < 2e9) { \
      CHECK(lround##s(x) == model_lround##s(x) && lrint##s(x) == model_lrint##s(x), "lround" #s " of %La", (long double)x); \
      CHECK(llround##s(x) == model_llround##s(x) && llrint##s(x) == model_llrint##s(x), "llround" #s " of %La", (long double)x); \
    } \
    CHECK(!__isnan##s(x) == !model___isnan##s(x) && __isinf##s(x) == model___isinf##s(x), "isnan" #s " of %La", (long double)x); \
    CHECK(!__finite##s(x) == !model___finite##s(x) && !__signbit##s(x) == !model___signbit##s(x), "finite" #s " of %La", (long double)x); \
    CHECK(__fpclassify##s(x) == model___fpclassify##s(x), "fpclassify" #s " of %La", (long double)x); \
  }

int main(void) {
  for (int turn = 0; turn < 40000; turn++) {
    double x = random_double(), y = random_double();
    float xf = (float)random_double(), yf = (float)random_double();
    long double xl = ldexpl(random_double(), random_below(4) ? 0 : random_below(34000) - 17000), yl = random_double();
    if (random_below(2))
      xl += xl * 0x1p-60L;
    int n = random_below(2) ? random_below(4400) - 2200 : random_below(20) ? random_below(200) - 100 : (int)random_bits();

#define ONE(name) \
    CHECK(SAME(name(x), model_##name(x)), #name " of %a: %a, not %a", x, model_##name(x), name(x)); \
    CHECK(SAME(name##f(xf), model_##name##f(xf)), #name "f of %a", (double)xf); \
    CHECK(SAME(name##l(xl), model_##name##l(xl)), #name "l of %La", xl);
#define TWO(name) \
    CHECK(SAME(name(x, y), model_##name(x, y)), #name " of %a, %a: %a, not %a", x, y, model_##name(x, y), name(x, y)); \
    CHECK(SAME(name##f(xf, yf), model_##name##f(xf, yf)), #name "f of %a, %a", (double)xf, (double)yf); \
    CHECK(SAME(name##l(xl, yl), model_##name##l(xl, yl)), #name "l of %La, %La", xl, yl);
#define ALLOWS1(name) \
    { \
      double got = 0, wanted = name(x); \
      script(1, bits(wanted)); \
      CHECK(RUNS(got = model_##name(x)) && SAME(got, wanted), #name " of %a: %a, not %a", x, got, wanted); \
      float gotf = 0, wantedf = name##f(xf); \
      script(1, bitsf(wantedf)); \
      CHECK(RUNS(gotf = model_##name##f(xf)) && SAME(gotf, wantedf), #name "f of %a: %a, not %a", (double)xf, (double)gotf, (double)wantedf); \
      long double gotl = 0, wantedl = name##l(xl); \
      script_long(wantedl); \
      CHECK(RUNS(gotl = model_##name##l(xl)) && SAME(gotl, wantedl), #name "l of %La: %La, not %La", xl, gotl, wantedl); \
    }
#define ALLOWS2(name) \
    { \
      double got = 0, wanted = name(x, y); \
      script(1, bits(wanted)); \
      CHECK(RUNS(got = model_##name(x, y)) && SAME(got, wanted), #name " of %a, %a: %a, not %a", x, y, got, wanted); \
      float gotf = 0, wantedf = name##f(xf, yf); \
      script(1, bitsf(wantedf)); \
      CHECK(RUNS(gotf = model_##name##f(xf, yf)) && SAME(gotf, wantedf), #name "f of %a, %a: %a, not %a", (double)xf, (double)yf, (double)gotf, (double)wantedf); \
      long double gotl = 0, wantedl = name##l(xl, yl); \
      script_long(wantedl); \
      CHECK(RUNS(gotl = model_##name##l(xl, yl)) && SAME(gotl, wantedl), #name "l of %La, %La: %La, not %La", xl, yl, gotl, wantedl); \
    }
    EXACT1(ONE)
    EXACT2(TWO)
    CHECK_EXACT(double, , x, y, n)
    CHECK_EXACT(float, f, xf, yf, n)
    CHECK_EXACT(long double, l, xl, yl, n % 3000 * 8)
    CHECK(SAME(nextafter(x, y), model_nextafter(x, y)), "nextafter of %a, %a", x, y);
    CHECK(SAME(nextafterf(xf, yf), model_nextafterf(xf, yf)), "nextafterf of %a, %a", (double)xf, (double)yf);
    CHECK(SAME(nextafterl(xl, yl), model_nextafterl(xl, yl)), "nextafterl of %La, %La: %La", xl, yl, model_nextafterl(xl, yl));
    /* glibc's remainder loses the sign of some zeros on x86_64; IEEE 754 keeps it. */
    CHECK(SAME(remainder(x, y) + 0.0, model_remainder(x, y) + 0.0), "remainder of %a, %a: %a, not %a", x, y, model_remainder(x, y), remainder(x, y));
    CHECK(SAME(remainderf(xf, yf) + 0.0f, model_remainderf(xf, yf) + 0.0f), "remainderf of %a, %a", (double)xf, (double)yf);
    CHECK(SAME(remainderl(xl, yl) + 0.0L, model_remainderl(xl, yl) + 0.0L), "remainderl of %La, %La", xl, yl);
    CHECK(SAME(drem(x, y) + 0.0, model_drem(x, y) + 0.0) && SAME(dremf(xf, yf) + 0.0f, model_dremf(xf, yf) + 0.0f), "drem of %a, %a", x, y);
    CHECK(SAME(dreml(xl, yl) + 0.0L, model_dreml(xl, yl) + 0.0L), "dreml of %La, %La", xl, yl);
    if (turn < 5000) {
      ANY1(ALLOWS1)
      ANY2(ALLOWS2)
    }
    double sine, cosine;
    script(2, bits(sin(x)), bits(cos(x)));
    CHECK(RUNS(model_sincos(x, &sine, &cosine)) && SAME(sine, sin(x)) && SAME(cosine, cos(x)), "sincos of %a", x);
  }
  return 0;
}
