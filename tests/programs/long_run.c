// expected: FALSE
/* The error is reached after many calls: the last steps that are told must be the last ones of the execution. */
extern void reach_error(void);
short count;
void step(void) { count = (short)(count + 1); }
int check(void) { return count >= 0; }
int main(void) {
    for (;;) {
        step();
        if (!check()) { reach_error(); }
    }
}
