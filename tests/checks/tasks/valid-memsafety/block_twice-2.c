/* Two ways out give back the same block. Violated with the inputs 1. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *block = malloc(8);
    if (!block) return 0;
    int failed = __VERIFIER_nondet_int();
    if (failed) {
        free(block);
    }
    free(block);
    return 0;
}
