/* What all harnesses use: inputs, and what is assumed of them. */
#include <assert.h>
#include <stddef.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int condition);

/* Any bytes. */
static inline void any_bytes(void *memory, size_t size) {
    unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
}

/* Any string that fits into `size` bytes. */
static inline void any_string(char *string, size_t size) {
    any_bytes(string, size);
    string[size - 1] = 0;
}

/* A number from 0 to `most`. */
static inline unsigned int at_most(unsigned int most) {
    unsigned int number = __VERIFIER_nondet_uint();
    __VERIFIER_assume(number <= most);
    return number;
}
