/* Insertion sort. Violated with the inputs 4, 3, 1, 2. */
extern int __VERIFIER_nondet_int(void);
#define SIZE 4
int main(void) {
    int cells[SIZE];
    for (int i = 0; i < SIZE; i++) cells[i] = __VERIFIER_nondet_int();
    for (int i = 1; i < SIZE; i++) {
        int value = cells[i], j = i;
        while (cells[j - 1] > value) {
            cells[j] = cells[j - 1];
            j--;
        }
        cells[j] = value;
    }
    return 0;
}
