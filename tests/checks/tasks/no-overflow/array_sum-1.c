/* The sum of an array whose elements are bounded. */
extern int __VERIFIER_nondet_int(void);
#define SIZE 5
int numbers[SIZE];

int main(void) {
    int count = __VERIFIER_nondet_int(), sum = 0;
    if (count < 0 || count > SIZE) return 0;
    for (int i = 0; i < count; i++) {
        numbers[i] = __VERIFIER_nondet_int();
        if (numbers[i] < 0 || numbers[i] > 400000000) return 0;
    }
    for (int i = 0; i < count; i++) sum += numbers[i];
    return sum < 0;
}
