/* Two ways out give back the same block. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *block = malloc(8);
    if (!block) return 0;
    int failed = __VERIFIER_nondet_int();
    if (failed) {
        free(block);
        block = 0;
    }
    free(block);
    return 0;
}
