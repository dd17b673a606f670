/* sdsll2str writes what a reader of decimal numbers gets back, ended by a zero, and returns its length. */
#include "harness.h"

int sdsll2str(char *text, long long value);

int main(void) {
    char text[8];
    int number = __VERIFIER_nondet_int(), value = 0;
    __VERIFIER_assume(-9999 <= number && number <= 9999);
    text[6] = 'x';
    int length = sdsll2str(text, number), i = text[0] == '-';
    assert(1 <= length && length <= 5 && text[length] == 0 && text[6] == 'x');
    assert((text[0] == '-') == (number < 0));
    assert(text[i] != '0' || number == 0);
    for (; i < length; i++) {
        assert(text[i] >= '0' && text[i] <= '9');
        value = 10 * value + (text[i] - '0');
    }
    assert((number < 0 ? -value : value) == number);
}
