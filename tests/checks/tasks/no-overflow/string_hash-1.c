/* A hash of a text: computed in a signed type it overflows. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    const char *text = "undefined";
    int length = __VERIFIER_nondet_int();
    unsigned hash = 5381;
    for (int i = 0; i < length && text[i]; i++) hash = hash * 33 + (unsigned char)text[i];
    return hash == 17;
}
