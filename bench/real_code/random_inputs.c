/* Runs a harness, compiled with -Dmain=harness, many times with random inputs; a failed assertion aborts. See bench/real_code.py --gcc. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

int harness(void);

static jmp_buf next;
static unsigned long long state = 88172645463325252ull;
static int is_repetitive; /* does this run only have two different bytes? */

static unsigned int number(void) { /* xorshift64 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned int)(state >> 16);
}

/* Small numbers, numbers of all magnitudes, and bounds that libraries have: most inputs are bounded. */
unsigned int __VERIFIER_nondet_uint(void) {
    static const unsigned int bounds[] = {0x7f, 0x80, 0x7ff, 0x800, 65520, 65535, 65536, 0x10ffff};
    unsigned int kind = number() % 8, bits = number();
    return kind < 4 ? bits % 8 : kind == 4 ? bounds[bits % 8] : bits >> number() % 32;
}

int __VERIFIER_nondet_int(void) {
    int value = (int)__VERIFIER_nondet_uint();
    return number() % 2 ? value : -value;
}

/* Few different bytes, or characters that mean something to parsers, or any. */
unsigned char __VERIFIER_nondet_uchar(void) {
    static const unsigned char few[] = {0, 'a', 'b', 0x80, 0xff, '/'};
    static const unsigned char special[] = {' ', '"', '*', ':', '@', '.', '?', '#', '0', '9', '-', '\n', 0xed, 0xf0, 0xf4, 0xbf};
    unsigned int kind = number() % 3, choice = number();
    if (is_repetitive)
        return few[1 + choice % 2];
    return kind == 0 ? few[choice % sizeof few] : kind == 1 ? special[choice % sizeof special] : (unsigned char)choice;
}

void __VERIFIER_assume(int condition) {
    if (!condition)
        longjmp(next, 1);
}

int main(int count, char **arguments) {
    long runs = count > 1 ? atol(arguments[1]) : 1;
    volatile long ended = 0;
    for (volatile long i = 0; i < runs; i++)
        if (!setjmp(next)) {
            is_repetitive = number() % 4 == 0;
            harness();
            ended++;
        }
    printf("%ld of %ld runs satisfied all assumptions\n", ended, runs);
    return ended == 0 ? 2 : 0;
}
