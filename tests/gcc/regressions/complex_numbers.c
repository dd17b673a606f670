// complex numbers: floating and integer, parts, conversions, comparison, arguments and results, initialisers
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
void mix(long long x) { checksum = checksum * 31 + x; }
typedef _Complex double Z; typedef _Complex float F; typedef _Complex int I; typedef _Complex long double L; typedef _Complex char C;
Z g = 1.5 + 2.5i, h = 3, none; Z table[3] = {1.0, 2.0i, 1.0 - 1.0i}; static F sf = 0.5fi; I gi = 3 + 4i; struct S { char c; Z z; C small; } s = {1, 2.0 + 1.0i, 5 + 6i};
L wide = 1.25L - 0.5Li; double part = __real__ (3.0 + 4.0i);
void show(Z z) { mix((long long)(__real__ z * 1024)); mix((long long)(__imag__ z * 1024)); }
void showf(F z) { show(z); } void showi(I z) { mix(__real__ z); mix(__imag__ z); } void showl(L z) { show(z); }
Z twice(Z z) { z += z; return z; } Z make(double a, double b) { Z z; __real__ z = a; __imag__ z = b; return z; } I square(I i) { return i * i; } F narrow(Z z) { return z; }
int calls; Z *next(Z *p) { calls++; return p; }
int main(void) {
  Z a = 3.0 + 4.0i, b = make(-0.5, 8); show(g); show(h); show(none); for (int i = 0; i < 3; i++) show(table[i]); showf(sf); showi(gi); showl(wide); mix(part);
  show(a + b); show(a - b); show(a * b); show(-a); show(~a); show(+b); show(a + 1.0); show(2.0 - a); show(a * 3.0); show(0.5 * b); show(a / 2.0); show(a - 1); show(a * 2i);
  mix(a == b); mix(a != b); mix(a == 3.0 + 4.0i); mix(make(2, 0) == 2.0); mix(2.0 != make(2, 1)); mix(!a); mix(!none); mix(a && none); mix(a || none); if (b) mix(1); if (none) mix(2); mix((_Bool)a + (_Bool)none + (_Bool)1.0i);
  show(twice(twice(a))); showi(square(gi)); showi(gi - 7i); showi(gi * (2 - 1i)); showi(~gi); showf(narrow(b)); mix((int)a); mix((long long)(double)b);
  a += b; show(a); a -= 1.0; show(a); a *= 2.0; show(a); a *= b; show(a); a /= 4.0; show(a); gi += 1 + 1i; showi(gi);
  __real__ a = 7; __imag__ a += 2; show(a); mix(__real__ 5); mix(__imag__ 5); mix(__real__ (gi + 1)); *next(&a) += 1.0; mix(calls); show(a); __real__ *next(&b) = 9; mix(calls); show(b);
  show(s.z); showi(s.small); struct S t = s; __imag__ t.z = -3; show(s.z); show(t.z); s = t; show(s.z); Z arr[2] = {a, b}; arr[1] = arr[0] * arr[1]; show(arr[1]); Z x, y; x = y = a - b; show(x); show(y);
  Z c = calls ? a : b; show(c); c = (a, b); show(c); F f = a; L l = f; showf(f); showl(l); showl(l * l); F m = f * 2.0f - 1; showf(m); I fi = (I)a; showi(fi); Z back = fi; show(back); show((Z)5); show(gi); C tiny = 100 + 100i; tiny = tiny + tiny; showi(tiny);
  Z *p = &a; show(*p); mix(sizeof a + sizeof f + sizeof tiny + sizeof gi); volatile Z vol = a; vol += 1.0; show(vol); const Z k = {2}; show(k); Z ex = __extension__ 1.0iF; show(ex); double inf = 1e308 * 10; mix(make(inf, 1) == make(inf, 1));
  report(); return 0; }
