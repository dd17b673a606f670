/* Each call has a block of its own. */
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int descend(int depth) {
    char *own = malloc(2);
    if (!own) return 0;
    own[0] = 'a';
    int below = depth > 0 ? descend(depth - 1) : 0;
    free(own);
    return below + 1;
}

int main(void) {
    int depth = __VERIFIER_nondet_int();
    if (depth < 0 || depth > 3) return 0;
    return descend(depth) == 9;
}
