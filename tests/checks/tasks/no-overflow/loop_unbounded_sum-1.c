/* A sum that is kept below a bound, for any number of rounds. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int rounds = __VERIFIER_nondet_int(), sum = 0;
    for (int i = 0; i < rounds; i++) {
        int next = i & 1023;
        if (sum > 1000000) sum = 0;
        sum = sum + next;
    }
    return sum < 0;
}
