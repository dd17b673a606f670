/* The items of a list are evaluated in the order of the members they initialise, by gcc; they were in that of the text. */
unsigned long long checksum = 1;
static void mix(long long value) { checksum = checksum * 31 + (unsigned long long)value; }
#ifdef NATIVE
int printf(const char *, ...);
#endif

struct inner { int a, b; };
struct outer { int x, y; struct inner z; };
static int n;
static int next(void) { return ++n; }

int main(void) {
    int array[3] = {[2] = next(), [0] = next(), next()};
    mix(array[0] * 100 + array[1] * 10 + array[2]);
    struct outer s = {.y = next(), .x = next(), .z = {.b = next(), .a = next()}};
    mix(s.x * 1000 + s.y * 100 + s.z.a * 10 + s.z.b);
    struct outer *p = &(struct outer){.z.b = next(), .x = next()};
    mix(p->x * 10 + p->z.b);
    struct outer t = {.z = s.z, .y = next(), .x = next()};
    mix(t.x * 10 + t.y);
    struct outer u = {1, .z = {2, 3}, .z.b = 4, .y = next()};
    mix(u.y * 100 + u.z.a * 10 + u.z.b);
#ifdef NATIVE
    printf("%llx\n", checksum);
#endif
    return 0;
}
