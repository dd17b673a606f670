/* Spaces are cut off at the end. */
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char text[5] = "    ";
    int letters = __VERIFIER_nondet_int();
    if (letters < 0 || letters > 4) return 0;
    for (int i = 0; i < letters; i++) text[i] = 'a';
    int end = (int)strlen(text) - 1;
    while (end >= 0 && text[end] == ' ') end--;
    text[end + 1] = 0;
    return 0;
}
