/* An array of blocks, one of which is no block. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int spare = 0, *table[3];
    int own = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) table[i] = i == own ? &spare : malloc(4);
    for (int i = 0; i < 3; i++) {
        if (table[i] != &spare) free(table[i]);
    }
    return 0;
}
