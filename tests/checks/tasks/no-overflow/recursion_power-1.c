/* Powers of two by recursion. */
extern int __VERIFIER_nondet_int(void);
static int power(int exponent) {
    if (exponent == 0) return 1;
    return 2 * power(exponent - 1);
}

int main(void) {
    int exponent = __VERIFIER_nondet_int();
    if (exponent < 0 || exponent > 30) return 0;
    return power(exponent) < 0;
}
