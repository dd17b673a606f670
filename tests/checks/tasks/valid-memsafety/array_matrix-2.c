/* A matrix, row after row in one block. Violated with the inputs 2. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int rows = __VERIFIER_nondet_int(), columns = 3;
    if (rows < 1 || rows > 3) return 0;
    int *matrix = malloc(rows * columns * sizeof *matrix);
    if (!matrix) return 0;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) matrix[r * (columns + 1) + c] = r;
    }
    free(matrix);
    return 0;
}
