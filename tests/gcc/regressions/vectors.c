// vectors: arithmetic, comparison, shifts, subscripts, scalars beside them, casts, arguments and results
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
void mix(long long x) { checksum = checksum * 31 + x; }
typedef int V4 __attribute__((vector_size(16)));
typedef unsigned char B8 __attribute__((vector_size(8)));
typedef short H4 __attribute__((vector_size(8)));
typedef float F4 __attribute__((vector_size(16)));
typedef double D2 __attribute__((vector_size(16)));
typedef long long L2 __attribute__((vector_size(16)));
typedef unsigned U4 __attribute__((vector_size(16)));
V4 g = {1, -2, 3, -4}, zero, some = {7, 8};
static B8 bytes = {250, 251, 252, 253, 254, 255, 0, 1};
V4 twice(V4 v) { v += v; return v; }
F4 halves(V4 v, float f) { F4 r = {v[0] / 2.0f, v[1] / 2.0f, f, -f}; return r; }
struct S { char c; V4 v; H4 h[2]; } s = {1, {1, 2, 3, 4}, {{5, 6, 7, 8}, {-1, -2}}};
union U { V4 v; long long l[2]; char c[16]; };
void show(V4 v) { for (int i = 0; i < 4; i++) mix(v[i]); }
void shows(H4 v) { for (int i = 0; i < 4; i++) mix(v[i]); }
void showb(B8 v) { for (int i = 0; i < 8; i++) mix(v[i]); }
int calls; V4 *next(V4 *p) { calls++; return p; }
int main(void) {
  V4 a = {10, 20, 30, 40}, b = {3, -3, 7, 1 << 30};
  show(a + b); show(a - b); show(a * b); show(a / b); show(a % b); show(a & b); show(a | b); show(a ^ b); show(-a); show(~b); show(+a);
  show(a == b); show(a != b); show(a < b); show(a <= b); show(a > g); show(a >= g); show(a << 2); show(b >> 1); show(a + 5); show(7 - a); show(3 * b);
  V4 amounts = {0, 1, 2, 3}; show(a << amounts); show(b >> amounts); show((V4)((U4)b >> (U4)amounts));
  show(twice(twice(a))); show(twice(g)); show(zero); show(some); showb(bytes + bytes); showb(bytes * 3); showb(bytes > 252);
  b += a; show(b); b -= 1; show(b); b *= g; show(b); b <<= amounts; show(b); b /= 3; show(b); b |= 1; show(b); b ^= b; show(b);
  a[2] = 99; a[3]++; a[calls + 1] += a[0]; show(a); int i = 1; mix(a[i++]); mix(i); mix((a + g)[2]); mix(twice(a)[1]);
  *next(&a) += 1; mix(calls); show(a); V4 *p = &a; (*p)[0] = 5; show(*p); V4 arr[2] = {{1, 2, 3, 4}, {5}}; arr[1] = arr[0] + arr[1]; show(arr[1]);
  show(s.v); shows(s.h[0] - s.h[1]); s.h[1][3] = 17; shows(s.h[1]); struct S t = s; t.v[0] = 100; show(s.v); show(t.v); s = t; show(s.v);
  F4 f = halves(a, 2.5f), q = f * f - 1.0f; for (int k = 0; k < 4; k++) mix((int)(q[k] * 16)); show(f < q); show((V4)f); f /= 2.0f; mix((int)(f[2] * 1000)); f = -f; mix(f[2] < 0);
  D2 d = {1.5, -0.25}; d = d + d * 2; mix((int)(d[0] * 64)); mix((int)(d[1] * 64)); L2 l = d > 0; mix(l[0]); mix(l[1]);
  union U u; u.v = a; mix(u.l[0]); mix(u.l[1]); mix(u.c[5]); u.c[5] = 3; show(u.v); L2 cast = (L2)a; mix(cast[1]); H4 fromint = (H4)0x1122334455667788LL; shows(fromint); mix((long long)fromint);
  V4 c = i ? a : g; show(c); c = (a, g); show(c); V4 x, y; x = y = a + 1; show(x); show(y); show((V4){9, 8, 7}); const V4 k = a; show(k); mix(sizeof a + sizeof bytes + _Alignof(V4));
  volatile V4 vol = a; vol += 1; show(vol);
  report(); return 0; }
