/* A sum that is kept below a bound, for any number of rounds. Violated with the inputs 100000. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int rounds = __VERIFIER_nondet_int(), sum = 0;
    for (int i = 0; i < rounds; i++) {
        int next = i & 1023;
        sum = sum + next * 1024 * 64;
        sum = sum + next;
    }
    return sum < 0;
}
