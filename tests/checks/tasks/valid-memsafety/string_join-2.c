/* Two texts in one buffer. Violated with the inputs 3, 4. */
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char first[5] = { 0 }, second[5] = { 0 }, joined[7];
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a > 4 || b < 0 || b > 4) return 0;
    memset(first, 'a', a);
    memset(second, 'b', b);
    strcpy(joined, first);
    strcat(joined, second);
    return joined[0] == 'c';
}
