// literals of type long double that are written in macros of headers, of the compiler, or pasted together
#include <float.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
#define SAME(x) x
#define TWICE(x) SAME(x)
#define LONG(x) x##L
#define OTHER 0x1.8p-3L
void mix(long double x) { unsigned char bytes[10]; __builtin_memcpy(bytes, &x, 10); for (int i = 0; i < 10; i++) checksum = checksum * 31 + bytes[i]; }
long double table[] = { LDBL_MAX, LDBL_MIN, LDBL_EPSILON, LDBL_TRUE_MIN, __LDBL_MAX__, __LDBL_MIN__, __LDBL_EPSILON__, __LDBL_DENORM_MIN__, SAME(2.5L), TWICE(-3.25L), LONG(1.1), OTHER };
int main(void) { for (unsigned i = 0; i < sizeof table / sizeof *table; i++) mix(table[i]); mix(SAME(SAME(1.7L) + OTHER)); mix(LONG(0x1p-70)); mix(LDBL_MAX / 2 + __LDBL_MAX__ / 4); report(); return 0; }
