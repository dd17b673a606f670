/* Which association is chosen was decided by the text of the types. */
unsigned long long checksum = 1;
static void mix(long long value) { checksum = checksum * 31 + (unsigned long long)value; }
#ifdef NATIVE
int printf(const char *, ...);
#endif

enum plain { A, B };
enum negative { C = -1 };
typedef double long wide;
typedef struct tag { int x; } tag;
typedef int (*function)(void);
#define KIND(v) _Generic((v), char: 1, signed char: 2, short: 3, int: 4, unsigned: 5, long: 6, int unsigned long: 7, \
    long signed long: 8, float: 9, double: 10, double long: 11, char *: 12, const char *: 13, enum plain *: 14, \
    enum negative *: 15, struct tag: 16, const tag *: 17, function: 18, int (*)[3]: 19, volatile int *: 20, default: 0)

static int called;
static int call(void) { return ++called; }

int main(void) {
    enum plain e = B, *pe = &e;
    enum negative n = C, *pn = &n;
    const wide w = 1;
    const tag t = {1};
    int array[3] = {0};
    const char *text = "x";
    volatile int *pv = array;
    mix(KIND(e) * 100 + KIND(n)), mix(KIND(pe) * 100 + KIND(pn)), mix(KIND(A) * 100 + KIND(C));
    mix(KIND(w) * 100 + KIND(1.0L)), mix(KIND(t) * 100 + KIND(&t)), mix(KIND(main) * 100 + KIND(&array));
    mix(KIND(array) * 100 + KIND("x")), mix(KIND(text) * 100 + KIND(pv)), mix(KIND('a') * 100 + KIND((char)'a'));
    mix(KIND(1ll) * 100 + KIND(1ul)), mix(KIND(1.f) * 100 + KIND((signed char)1 + (short)1));
    mix(_Generic(e, enum plain: 1, default: 2) * 10 + _Generic(pe, unsigned *: 1, default: 2));
    mix(_Generic(call(), int: 5, default: call()) * 10 + called);
    mix(_Generic(1, int: call(), default: 7) * 10 + called);
#ifdef NATIVE
    printf("%llx\n", checksum);
#endif
    return 0;
}
