/* The value of the digits of a text. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char digits[11];
    int value = 0;
    for (int i = 0; i < 9; i++) {
        digits[i] = (char)__VERIFIER_nondet_int();
        if (digits[i] < '0' || digits[i] > '9') digits[i] = '0';
    }
    for (int i = 0; i < 9; i++) value = 10 * value + (digits[i] - '0');
    return value < 0;
}
