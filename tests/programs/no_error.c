// expected: UNKNOWN
// Nothing to prove: what could fail is never called.
extern void reach_error(void);

static void unused(void) { reach_error(); }

int main(void) { return 0; }
