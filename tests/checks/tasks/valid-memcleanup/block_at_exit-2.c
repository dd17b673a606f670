/* One way out of a function forgets the block. Violated with the inputs 1. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int measure(int given) {
    int *scratch = malloc(3 * sizeof *scratch);
    if (!scratch) return -1;
    scratch[0] = given;
    if (given == 1) {
        return 0;
    }
    free(scratch);
    return 1;
}

int main(void) {
    return measure(__VERIFIER_nondet_int()) == 7;
}
