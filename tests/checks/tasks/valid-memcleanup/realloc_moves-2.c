/* A block that grows. Violated with the inputs 9. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    int size = __VERIFIER_nondet_int();
    if (size > 4 && size < 100) {
        char *larger = malloc(size);
        if (!larger) {
            free(text);
            return 0;
        }
        larger[4] = 0;
        text = larger;
    }
    free(text);
    return 0;
}
