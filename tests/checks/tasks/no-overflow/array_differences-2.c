/* Distances between the elements of an array. Violated with the inputs -2147483648, 1. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int values[3], largest = 0;
    values[0] = __VERIFIER_nondet_int();
    values[1] = __VERIFIER_nondet_int();
    values[2] = 0;
    for (int i = 0; i < 2; i++) {
        if (values[i] < -2147483647 - 1 || values[i] > 1000000) return 0;
    }
    for (int i = 0; i < 2; i++) {
        int distance = values[i] - values[i + 1];
        if (distance > largest) largest = distance;
    }
    return largest < 0;
}
