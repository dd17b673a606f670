/* A pointer to a local of a call that is over. */
extern int __VERIFIER_nondet_int(void);
static int *deepest(int depth, int *given) {
    int here = depth, *own = &here;
    if (depth == 0) return given;
    return deepest(depth - 1, given);
}

int main(void) {
    int depth = __VERIFIER_nondet_int(), outside = 3;
    if (depth < 0 || depth > 3) return 0;
    int *found = deepest(depth, &outside);
    *found = 1;
    return outside == 2;
}
