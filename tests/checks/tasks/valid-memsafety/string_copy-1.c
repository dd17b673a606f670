/* A text is copied by hand. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char from[8] = { 0 }, to[6];
    int length = __VERIFIER_nondet_int(), i = 0;
    if (length < 0 || length > 5) return 0;
    for (int k = 0; k < length; k++) from[k] = 'x';
    while ((to[i] = from[i]) != 0) i++;
    return to[0] == 'y';
}
