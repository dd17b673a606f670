/* An array is filled by recursion. Violated with the inputs 4. */
extern int __VERIFIER_nondet_int(void);
static void fill(int *cells, int from, int count) {
    if (from > count) return;
    cells[from] = from;
    fill(cells, from + 1, count);
}

int main(void) {
    int cells[4];
    int count = __VERIFIER_nondet_int();
    if (count < 0 || count > 4) return 0;
    fill(cells, 0, count);
    return 0;
}
