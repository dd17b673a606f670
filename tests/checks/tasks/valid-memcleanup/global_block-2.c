/* A block that a global variable leads to until the end. Violated. */
#include <stdlib.h>
static int *shared;

int main(void) {
    shared = malloc(sizeof *shared);
    if (!shared) return 0;
    *shared = 1;
    return 0;
}
