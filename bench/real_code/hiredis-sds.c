/* sdscatlen: a dynamic string of up to three bytes has what was put in, also after up to three more are appended, which moves it. */
#include "harness.h"
#include "sds.h"

int main(void) {
    char first[3], second[3];
    size_t a = at_most(3), b = at_most(3);
    any_bytes(first, sizeof first);
    any_bytes(second, sizeof second);
    sds text = sdsnewlen(first, a);
    __VERIFIER_assume(text != 0);
    assert(sdslen(text) == a && text[a] == 0);
    text = sdscatlen(text, second, b);
    __VERIFIER_assume(text != 0);
    assert(sdslen(text) == a + b && text[a + b] == 0);
    for (size_t i = 0; i < a + b; i++)
        assert(text[i] == (i < a ? first[i] : second[i - a]));
    sdsfree(text);
}
