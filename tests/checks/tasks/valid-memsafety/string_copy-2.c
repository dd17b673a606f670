/* A text is copied by hand. Violated with the inputs 6. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char from[8] = { 0 }, to[6];
    int length = __VERIFIER_nondet_int(), i = 0;
    if (length < 0 || length > 6) return 0;
    for (int k = 0; k < length; k++) from[k] = 'x';
    while ((to[i] = from[i]) != 0) i++;
    return to[0] == 'y';
}
