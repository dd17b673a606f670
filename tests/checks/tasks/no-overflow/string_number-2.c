/* The value of the digits of a text. Violated with the inputs 57, 57, 57, 57, 57, 57, 57, 57, 57, 57. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char digits[11];
    int value = 0;
    for (int i = 0; i < 10; i++) {
        digits[i] = (char)__VERIFIER_nondet_int();
        if (digits[i] < '0' || digits[i] > '9') digits[i] = '0';
    }
    for (int i = 0; i < 10; i++) value = 10 * value + (digits[i] - '0');
    return value < 0;
}
