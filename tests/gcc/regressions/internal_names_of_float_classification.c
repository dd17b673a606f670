// preprocessed programs call __isnan, __finite and the like
unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) { checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47); }
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\n", checksum)
#else
#define report() (void)0
#endif
int __isnan(double), __isnanf(float), __isnanl(long double), __isinf(double), __isinff(float), __isinfl(long double);
int __finite(double), __finitef(float), __finitel(long double), __fpclassify(double), __signbit(double);
static void mix_all(double x) {
    mix(!!__isnan(x) + 2 * !!__isinf(x) + 4 * !!__finite(x));
    mix(!!__isnanf(x) + 2 * !!__isinff(x) + 4 * !!__finitef(x));
    mix(!!__isnanl(x) + 2 * !!__isinfl(x) + 4 * !!__finitel(x));
    mix(__fpclassify(x));
    mix(x != x || !!__signbit(x));
}
int main(void) {
    double zero = 0;
    mix_all(1.5);
    mix_all(-1 / zero);
    mix_all(zero / zero);
    mix_all(-zero);
    mix_all(1e-310);
    report();
    return 0;
}
