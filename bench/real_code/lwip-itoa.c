/* lwip_itoa writes digits that mean the number, or nothing where these do not fit; and nothing behind the buffer. */
#include "harness.h"
#include "lwip/def.h"

int main(void) {
    char text[7];
    size_t size = 1 + at_most(5);
    int number = __VERIFIER_nondet_int(), value = 0;
    __VERIFIER_assume(-999 <= number && number <= 999);
    text[size] = 'x';
    lwip_itoa(text, size, number);
    assert(text[size] == 'x');
    size_t i = text[0] == '-';
    for (; text[i]; i++) {
        assert(text[i] >= '0' && text[i] <= '9');
        value = 10 * value + (text[i] - '0');
    }
    assert(i < size);
    assert(i == 0 || (text[0] == '-' ? -value : value) == number);
    assert(i > 0 || size < 5);
}
