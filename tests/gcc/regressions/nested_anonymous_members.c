// members of nested anonymous structs had no field
unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) { checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47); }
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\n", checksum)
#else
#define report() (void)0
#endif
int main(void) {
    struct { int a; union { short b; struct { char c, d; }; }; char e; } s = {1, {2}, 3};
    s.d = 200;
    mix(s.b);
    mix(s.c);
    mix(sizeof s + s.e);
    report();
    return 0;
}
