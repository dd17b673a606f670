// builtins with constant values in static initialisers, and the payloads of NaNs
#include <math.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
#define MIX(x) do { unsigned char *p = (unsigned char *)&(x); for (unsigned i = 0; i < (sizeof(x) > 10 ? 10 : sizeof(x)); i++) checksum = checksum * 31 + p[i]; } while (0)
double d[] = { __builtin_inf(), -__builtin_inf(), __builtin_nan(""), -__builtin_nan(""), __builtin_nan("5"), __builtin_nan("0x12"), __builtin_nan("017"), INFINITY, -HUGE_VAL };
float f[] = { __builtin_inff(), __builtin_nanf("3"), __builtin_huge_valf() }; long double l = -__builtin_infl(), n = __builtin_nanl("0x77"); unsigned long k = __builtin_strlen("abc"); int bits = __builtin_popcount(255) + __builtin_clz(16);
struct { double x; int i; } s = { __builtin_huge_val(), __builtin_ffs(8) };
int main(void) { static double inner[] = { 1, __builtin_inf(), __builtin_nan("7") }; double x = __builtin_nan("9"); MIX(d); MIX(f); for (int i = 0; i < 9; i++) MIX(d[i]); for (int i = 0; i < 3; i++) { MIX(f[i]); MIX(inner[i]); } MIX(l); MIX(n); checksum = checksum * 31 + k; MIX(bits); MIX(s.x); MIX(s.i); MIX(x); report(); return 0; }
