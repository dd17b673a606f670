/* The position behind a maximum. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int cells[4] = { 3, 9, 4, 1 }, best = 0;
    int offset = __VERIFIER_nondet_int();
    for (int i = 1; i < 4; i++) {
        if (cells[i] > cells[best]) best = i;
    }
    if (offset < 0) return 0;
    if (offset > 2147483646) return 0;
    int behind = offset + best;
    return behind < 0;
}
