/* A small request is served by alloca, a large one by malloc; only the latter is given back. */
#include <alloca.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int size = __VERIFIER_nondet_int();
    if (size < 1 || size > 64) return 0;
    char *room = size < 16 ? alloca(size) : malloc(size);
    if (!room) return 0;
    room[size - 1] = 'a';
    if (size >= 16) free(room);
    return 0;
}
