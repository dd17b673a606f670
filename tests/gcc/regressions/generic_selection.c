// _Generic was an unknown location
unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) { checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47); }
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\n", checksum)
#else
#define report() (void)0
#endif
#define TYPE(e) _Generic(e, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6, char *: 8, default: 7)
int main(void) {
    char c = 1;
    unsigned u = 2;
    long l = 3;
    mix(TYPE(c));
    mix(TYPE(+c));
    mix(TYPE(u + l));
    mix(TYPE(sizeof u));
    mix(TYPE(1.5f));
    mix(TYPE("text"));
    mix(TYPE(2147483648));
    mix(TYPE(0x80000000));
    mix(_Generic(c, char: u++, default: l++));
    mix(u);
    mix(l);
    report();
    return 0;
}
