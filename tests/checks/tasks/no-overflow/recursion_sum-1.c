/* The sum of the first numbers, below a bound that makes it fit. */
extern int __VERIFIER_nondet_int(void);
static long sum(long n, long collected) {
    if (n <= 0) return collected;
    return sum(n - 1, collected + n * 1000L);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 100000) return 0;
    if (n > 6) n = 6;
    return sum(n, 0) < 0;
}
