// the rest of a union's member that is initialised in part is zero
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
void mix(long long x) { checksum = checksum * 31 + x; }
void dirty(void) { volatile char a[256]; for (int i = 0; i < 256; i++) a[i] = i * 7 + 1; }
typedef union { char a[8]; int i; } A; typedef union { struct { int x, y; short z[3]; } s; long long l[5]; } S; struct H { int tag; A a; S s[2]; };
int calls; int next(void) { return ++calls; }
void arrays(void) { A a = {{1}}, b = {2}, c = {.a = {[2] = 3}}, d = {.a[5] = 4}, e = {.i = 7, .a = {[1] = 2}}, f = {{next(), next()}}; for (int i = 0; i < 8; i++) { mix(a.a[i]); mix(b.a[i]); mix(c.a[i]); mix(d.a[i]); mix(e.a[i]); mix(f.a[i]); } }
void records(void) { S a = {{1}}, b = {.s = {.y = 2}}, c = {.s.z[1] = 3}, d = {{next()}}; S *all[] = {&a, &b, &c, &d}; for (int i = 0; i < 4; i++) { mix(all[i]->s.x); mix(all[i]->s.y); for (int j = 0; j < 3; j++) mix(all[i]->s.z[j]); } S l = {.l = {1, 2}}; for (int i = 0; i < 5; i++) mix(l.l[i]); }
void within(void) { struct H h = {1, {{2}}, {{{3}}, {.l[1] = 4}}}, k = {.a.a[3] = 5, .s[1].s.y = 6}; for (int i = 0; i < 8; i++) { mix(h.a.a[i]); mix(k.a.a[i]); } for (int i = 0; i < 5; i++) { mix(h.s[1].l[i]); } mix(h.s[0].s.x + h.s[0].s.y + h.s[0].s.z[2]); mix(k.s[1].s.x + k.s[1].s.y * 2 + k.s[1].s.z[0]); mix(k.tag); mix(k.s[0].s.x); }
void over(void) { struct { A u; int k; } x = {{{1, 2}}, .u.a[5] = 3}, y = {.u.a[5] = 3, .u.a[1] = 4, .k = 5}, z = {.u.a[5] = 3, .u = {{6}}}, w = {.k = 1, .u.a[2] = 8, 9}; for (int i = 0; i < 8; i++) { mix(x.u.a[i]); mix(y.u.a[i]); mix(z.u.a[i]); mix(w.u.a[i]); } mix(x.k); mix(y.k); mix(w.k); }
static A sa = {{0, 1}}; static S ss = {.s.y = 5}; A many[3] = {{{1, 2}}, {.a[1] = 3}};
int main(void) { dirty(); arrays(); dirty(); records(); dirty(); within(); dirty(); over(); for (int i = 0; i < 8; i++) { mix(sa.a[i]); mix(many[0].a[i]); mix(many[1].a[i]); } mix(ss.s.x + ss.s.y + ss.s.z[2]); report(); return 0; }
