// conj, creal and cimag: builtins and library functions, of all widths, with side effects and signed zeros
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
unsigned long long checksum = 1;
void mix(long long x) { checksum = checksum * 31 + x; }
double _Complex conj(double _Complex); float cimagf(float _Complex); long double creall(long double _Complex);
_Complex float same(_Complex float x) { return x; }
int calls; _Complex double next(void) { calls++; return 3.0 + 4.0i; }
int main(void) {
  _Complex double a = conj(next()); mix(calls); mix(__real__ a); mix(__imag__ a); _Complex float b = __builtin_conjf(same(1.0f + 2.0fi)); mix(cimagf(b)); mix(__builtin_crealf(b));
  _Complex long double c = __builtin_conjl(5.0L - 0.0Li); mix(creall(c)); mix(1 / __builtin_cimagl(c) < 0); mix(__builtin_cimag(b)); _Complex double z = __builtin_conj(4); mix(1 / __imag__ z < 0); mix(__builtin_creal(next() * 2.0)); mix(calls);
  b = __builtin_conjf(b); mix(__imag__ b); report(); return 0; }
