/* A number that is squared once it is large enough. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 2 || x > 46340) return 0;
    int y = x;
    while (y < 100) y = y * 2;
    if (x >= 100) y = x * x;
    return y < 0;
}
