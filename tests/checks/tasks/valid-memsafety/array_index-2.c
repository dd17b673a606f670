/* A table is looked up with an index that is an input. Violated with the inputs 8. */
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int table[8] = { 0 };
    int index = __VERIFIER_nondet_int();
    if (index < 0 || index > 8) return 0;
    table[index] = 1;
    return table[0];
}
