/* Elements are moved towards the beginning. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int cells[5] = { 1, 2, 3, 4, 5 };
    int by = __VERIFIER_nondet_int();
    if (by < 0 || by > 3) return 0;
    for (int i = by; i < 5; i++) cells[i - by] = cells[i];
    return cells[0] == 0;
}
