/* The only pointer to a block is overwritten. Violated with the inputs 3. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *latest = 0;
    int rounds = __VERIFIER_nondet_int();
    if (rounds > 3) return 0;
    for (int i = 0; i < rounds; i++) {
        latest = malloc(4);
        if (latest) latest[0] = 'a';
    }
    free(latest);
    latest = 0;
    return 0;
}
