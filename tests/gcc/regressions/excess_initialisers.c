/* An item for more members than there are ended the list, designated items behind it were lost. */
unsigned long long checksum = 1;
static void mix(long long value) { checksum = checksum * 31 + (unsigned long long)value; }
#ifdef NATIVE
int printf(const char *, ...);
#endif
static int a[3] = {[2] = 5, 6, [0] = 7, 8, 9, 10, [1] = 3};
struct { int x; char c[2]; int y; } s = {1, {'a', 'b', 'c'}, 9, 10};

int main(void) {
    int b[3] = {[2] = 5, 6, [0] = 7};
    for (int i = 0; i < 3; i++) mix(a[i] * 10 + b[i]);
    mix(s.x * 1000 + s.c[0] + s.c[1] * 10 + s.y);
#ifdef NATIVE
    printf("%llx\n", checksum);
#endif
    return 0;
}
