/* A pointer that has moved is given back. Violated with the inputs 2. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int length = __VERIFIER_nondet_int();
    if (length < 1 || length > 3) return 0;
    char *text = malloc(4), *walk = text;
    if (!text) return 0;
    for (int i = 0; i < length; i++) *walk++ = 'a';
    *walk = 0;
    free(walk);
    return 0;
}
