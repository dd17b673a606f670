/* A buffer on the stack whose size is an input. */
#include <alloca.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int size = __VERIFIER_nondet_int();
    if (size < 1 || size > 6) return 0;
    int *room = alloca(size * sizeof *room);
    for (int i = size; i > 0; i--) room[i - 1] = i;
    return room[0] != 1;
}
