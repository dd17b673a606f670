/* A block of any size is filled. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int size = __VERIFIER_nondet_int();
    if (size < 1 || size > 1000000) return 0;
    char *block = malloc(size);
    if (!block) return 0;
    for (int i = 0; i < size; i++) block[i] = 0;
    free(block);
    return 0;
}
