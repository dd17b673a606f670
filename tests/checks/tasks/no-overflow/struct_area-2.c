/* The area of a rectangle. Violated with the inputs 70000, 70000. */
extern int __VERIFIER_nondet_int(void);
struct rectangle { int width, height; };

static long area(const struct rectangle *r) { return r->width * r->height; }

int main(void) {
    struct rectangle r;
    r.width = __VERIFIER_nondet_int();
    r.height = __VERIFIER_nondet_int();
    if (r.width < 0 || r.height < 0) return 0;
    return area(&r) < 0;
}
