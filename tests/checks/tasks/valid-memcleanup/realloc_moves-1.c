/* A block that grows. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    int size = __VERIFIER_nondet_int();
    if (size > 4 && size < 100) {
        char *larger = realloc(text, size);
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
