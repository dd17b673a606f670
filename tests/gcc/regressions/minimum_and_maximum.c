// fmin and fmax were external functions
#include <math.h>
unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) { checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47); }
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\n", checksum)
#else
#define report() (void)0
#endif
int main(void) {
    double one = 1.5, two = 3.25;
    mix(fmin(one, two) == 1.5);
    mix(fmax(one, two) == 3.25);
    mix(fminf(two, one) == 1.5f);
    mix(fmaxl(two, -one) == 3.25L);
    mix(fmin(NAN, two) == 3.25);
    mix((int)fdim(two, one));
    report();
    return 0;
}
