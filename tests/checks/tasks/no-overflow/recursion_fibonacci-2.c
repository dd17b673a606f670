/* Fibonacci numbers, with the two last ones as arguments. Violated with the inputs 47. */
extern int __VERIFIER_nondet_int(void);
static int next(int n, int before, int last) {
    if (n <= 1) return last;
    return next(n - 1, last, before + last);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 47) return 0;
    return next(n, 0, 1) < 0;
}
