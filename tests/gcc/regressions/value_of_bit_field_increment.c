// the value of -- on a narrow bit-field was an unknown location
unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) { checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47); }
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\n", checksum)
#else
#define report() (void)0
#endif
struct s { unsigned u : 3; int i : 4; long long l : 5; unsigned long m : 7; _Bool b : 1; } s = {2, -8, 15, 0, 1};
int main(void) {
    mix(s.u--);
    mix(--s.i);
    mix(s.l++);
    mix(s.l);
    mix(s.m--);
    mix(s.m - 200 < 0);
    mix(--s.b);
    mix(s.b++);
    mix(s.u);
    report();
    return 0;
}
