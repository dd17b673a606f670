/* Binary search. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int cells[7] = { 1, 3, 5, 7, 9, 11, 13 };
    int key = __VERIFIER_nondet_int(), low = 0, high = 6;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (cells[middle] == key) return 1;
        if (cells[middle] < key) low = middle + 1;
        else high = middle - 1;
    }
    return 0;
}
