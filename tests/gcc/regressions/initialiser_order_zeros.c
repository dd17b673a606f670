/* Items out of order with lists inside, whose members are zero otherwise. */
unsigned long long checksum = 1;
static void mix(long long value) { checksum = checksum * 31 + (unsigned long long)value; }
#ifdef NATIVE
int printf(const char *, ...);
#endif

struct s { unsigned m0; char m1; short m2[3]; long m3[2]; };
static int n;
static int next(void) { return ++n; }

int main(void) {
    struct s s = {.m3 = {[0] = next()}, .m2 = {[2] = next()}, .m1 = next(), .m0 = next()};
    mix(s.m0 * 1000 + s.m1 * 100 + s.m2[2] * 10 + s.m3[0]);
    mix(s.m2[0] + s.m2[1] + s.m3[1]);
    struct s t[2] = {[1] = {.m2 = {next()}, .m0 = next()}, [0] = {}};
    mix(t[1].m0 * 100 + t[1].m2[0] * 10 + t[0].m0 + t[1].m1 + t[0].m3[1]);
#ifdef NATIVE
    printf("%llx\n", checksum);
#endif
    return 0;
}
