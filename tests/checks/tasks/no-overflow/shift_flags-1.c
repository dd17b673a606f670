/* A flag for a number of a bit. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int bit = __VERIFIER_nondet_int();
    if (bit < 0 || bit > 30) return 0;
    int flags = 1 << bit;
    return (flags & 5) == 5;
}
