/* Counts beyond a limit that is an input. Violated with the inputs 2147483647. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int limit = __VERIFIER_nondet_int(), steps = 0;
    if (limit < 2147483640) return 0;
    for (int i = 2147483630; i <= limit; i++) {
        if (steps < 100) steps++;
    }
    return steps > 200;
}
