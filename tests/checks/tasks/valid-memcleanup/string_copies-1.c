/* Copies of a text, some of which are kept. */
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *copies[3] = { 0, 0, 0 };
    int kept = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) {
        copies[i] = malloc(4);
        if (!copies[i]) continue;
        strcpy(copies[i], "abc");
        free(copies[i]);
    }
    return 0;
}
