#ifndef DRYSTONE_TGMATH_H
#define DRYSTONE_TGMATH_H

#include <complex.h>
#include <math.h>

/* Which function is meant: of the type that the arguments have together, where integers count as double. */
#define __DRYSTONE_REAL(x) _Generic((x), float: 0.0F, long double: 0.0L, default: 0.0)
#define __DRYSTONE_ANY(x) \
  _Generic((x), float: 0.0F, long double: 0.0L, float _Complex: (float _Complex)0, double _Complex: (double _Complex)0, \
           long double _Complex: (long double _Complex)0, default: 0.0)
#define __DRYSTONE_OF_REAL(name, zero) _Generic((zero), float: name##f, long double: name##l, default: name)
#define __DRYSTONE_OF_ANY(name, other, zero) \
  _Generic((zero), float: name##f, long double: name##l, float _Complex: other##f, double _Complex: other, \
           long double _Complex: other##l, default: name)
#define __DRYSTONE_OF_COMPLEX(name, zero) \
  _Generic((zero), float: name##f, long double: name##l, float _Complex: name##f, long double _Complex: name##l, default: name)

#define acos(x) __DRYSTONE_OF_ANY(acos, cacos, __DRYSTONE_ANY(x))(x)
#define asin(x) __DRYSTONE_OF_ANY(asin, casin, __DRYSTONE_ANY(x))(x)
#define atan(x) __DRYSTONE_OF_ANY(atan, catan, __DRYSTONE_ANY(x))(x)
#define acosh(x) __DRYSTONE_OF_ANY(acosh, cacosh, __DRYSTONE_ANY(x))(x)
#define asinh(x) __DRYSTONE_OF_ANY(asinh, casinh, __DRYSTONE_ANY(x))(x)
#define atanh(x) __DRYSTONE_OF_ANY(atanh, catanh, __DRYSTONE_ANY(x))(x)
#define cos(x) __DRYSTONE_OF_ANY(cos, ccos, __DRYSTONE_ANY(x))(x)
#define sin(x) __DRYSTONE_OF_ANY(sin, csin, __DRYSTONE_ANY(x))(x)
#define tan(x) __DRYSTONE_OF_ANY(tan, ctan, __DRYSTONE_ANY(x))(x)
#define cosh(x) __DRYSTONE_OF_ANY(cosh, ccosh, __DRYSTONE_ANY(x))(x)
#define sinh(x) __DRYSTONE_OF_ANY(sinh, csinh, __DRYSTONE_ANY(x))(x)
#define tanh(x) __DRYSTONE_OF_ANY(tanh, ctanh, __DRYSTONE_ANY(x))(x)
#define exp(x) __DRYSTONE_OF_ANY(exp, cexp, __DRYSTONE_ANY(x))(x)
#define log(x) __DRYSTONE_OF_ANY(log, clog, __DRYSTONE_ANY(x))(x)
#define sqrt(x) __DRYSTONE_OF_ANY(sqrt, csqrt, __DRYSTONE_ANY(x))(x)
#define fabs(x) __DRYSTONE_OF_ANY(fabs, cabs, __DRYSTONE_ANY(x))(x)
#define pow(x, y) __DRYSTONE_OF_ANY(pow, cpow, __DRYSTONE_ANY(x) + __DRYSTONE_ANY(y))(x, y)

#define carg(x) __DRYSTONE_OF_COMPLEX(carg, __DRYSTONE_ANY(x))(x)
#define cimag(x) __DRYSTONE_OF_COMPLEX(cimag, __DRYSTONE_ANY(x))(x)
#define conj(x) __DRYSTONE_OF_COMPLEX(conj, __DRYSTONE_ANY(x))(x)
#define cproj(x) __DRYSTONE_OF_COMPLEX(cproj, __DRYSTONE_ANY(x))(x)
#define creal(x) __DRYSTONE_OF_COMPLEX(creal, __DRYSTONE_ANY(x))(x)

#define cbrt(x) __DRYSTONE_OF_REAL(cbrt, __DRYSTONE_REAL(x))(x)
#define ceil(x) __DRYSTONE_OF_REAL(ceil, __DRYSTONE_REAL(x))(x)
#define erf(x) __DRYSTONE_OF_REAL(erf, __DRYSTONE_REAL(x))(x)
#define erfc(x) __DRYSTONE_OF_REAL(erfc, __DRYSTONE_REAL(x))(x)
#define exp2(x) __DRYSTONE_OF_REAL(exp2, __DRYSTONE_REAL(x))(x)
#define expm1(x) __DRYSTONE_OF_REAL(expm1, __DRYSTONE_REAL(x))(x)
#define floor(x) __DRYSTONE_OF_REAL(floor, __DRYSTONE_REAL(x))(x)
#define frexp(x, p) __DRYSTONE_OF_REAL(frexp, __DRYSTONE_REAL(x))(x, p)
#define ilogb(x) __DRYSTONE_OF_REAL(ilogb, __DRYSTONE_REAL(x))(x)
#define ldexp(x, n) __DRYSTONE_OF_REAL(ldexp, __DRYSTONE_REAL(x))(x, n)
#define lgamma(x) __DRYSTONE_OF_REAL(lgamma, __DRYSTONE_REAL(x))(x)
#define llrint(x) __DRYSTONE_OF_REAL(llrint, __DRYSTONE_REAL(x))(x)
#define llround(x) __DRYSTONE_OF_REAL(llround, __DRYSTONE_REAL(x))(x)
#define log10(x) __DRYSTONE_OF_REAL(log10, __DRYSTONE_REAL(x))(x)
#define log1p(x) __DRYSTONE_OF_REAL(log1p, __DRYSTONE_REAL(x))(x)
#define log2(x) __DRYSTONE_OF_REAL(log2, __DRYSTONE_REAL(x))(x)
#define logb(x) __DRYSTONE_OF_REAL(logb, __DRYSTONE_REAL(x))(x)
#define lrint(x) __DRYSTONE_OF_REAL(lrint, __DRYSTONE_REAL(x))(x)
#define lround(x) __DRYSTONE_OF_REAL(lround, __DRYSTONE_REAL(x))(x)
#define nearbyint(x) __DRYSTONE_OF_REAL(nearbyint, __DRYSTONE_REAL(x))(x)
#define nexttoward(x, y) __DRYSTONE_OF_REAL(nexttoward, __DRYSTONE_REAL(x))(x, y)
#define rint(x) __DRYSTONE_OF_REAL(rint, __DRYSTONE_REAL(x))(x)
#define round(x) __DRYSTONE_OF_REAL(round, __DRYSTONE_REAL(x))(x)
#define scalbln(x, n) __DRYSTONE_OF_REAL(scalbln, __DRYSTONE_REAL(x))(x, n)
#define scalbn(x, n) __DRYSTONE_OF_REAL(scalbn, __DRYSTONE_REAL(x))(x, n)
#define tgamma(x) __DRYSTONE_OF_REAL(tgamma, __DRYSTONE_REAL(x))(x)
#define trunc(x) __DRYSTONE_OF_REAL(trunc, __DRYSTONE_REAL(x))(x)

#define atan2(x, y) __DRYSTONE_OF_REAL(atan2, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define copysign(x, y) __DRYSTONE_OF_REAL(copysign, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define fdim(x, y) __DRYSTONE_OF_REAL(fdim, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define fmax(x, y) __DRYSTONE_OF_REAL(fmax, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define fmin(x, y) __DRYSTONE_OF_REAL(fmin, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define fmod(x, y) __DRYSTONE_OF_REAL(fmod, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define hypot(x, y) __DRYSTONE_OF_REAL(hypot, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define nextafter(x, y) __DRYSTONE_OF_REAL(nextafter, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define remainder(x, y) __DRYSTONE_OF_REAL(remainder, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y)
#define remquo(x, y, p) __DRYSTONE_OF_REAL(remquo, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y))(x, y, p)
#define fma(x, y, z) __DRYSTONE_OF_REAL(fma, __DRYSTONE_REAL(x) + __DRYSTONE_REAL(y) + __DRYSTONE_REAL(z))(x, y, z)

#endif
