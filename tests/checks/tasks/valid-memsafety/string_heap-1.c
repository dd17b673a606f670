/* A copy on the heap, with the zero at its end. */
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
static char *copied(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    if (copy) strcpy(copy, text);
    return copy;
}

int main(void) {
    char word[4] = { 0 };
    int length = __VERIFIER_nondet_int();
    if (length < 1 || length > 3) return 0;
    for (int i = 0; i < length; i++) word[i] = 'w';
    char *copy = copied(word);
    if (copy) word[0] = copy[0];
    free(copy);
    return 0;
}
