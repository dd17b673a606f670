"""Programs in which an address goes through numbers before something is stored through it, or is only looked at.

Each is (declarations, statements); the statements set `happened`. What it is does not depend on where objects lie.
"""

from __future__ import annotations

HEAD = """
extern void reach_error(void);
typedef __UINTPTR_TYPE__ word; typedef unsigned char byte; typedef __SIZE_TYPE__ size;
void *memcpy(void *, const void *, size); void *memset(void *, int, size); void *malloc(size); int memcmp(const void *, const void *, size);
enum { BITS = 8 * sizeof(word) };
"""

_BITS = "static word bits(word a) { word b = 0; for (int i = 0; i < BITS; i++) if (a >> i & 1) b |= (word)1 << i; return b; }"
_SUM = "static word sum(word a) { word b = 0; for (word m = 1; m; m <<= 1) if (a & m) b += m; return b; }"
_FIND = """static word find(word a) { word lo = 0, hi = ~(word)0; while (lo < hi) { word mid = lo + (hi - lo) / 2;
  if (mid < a) lo = mid + 1; else hi = mid; } return lo; }"""
_UNROLLED = """static word unrolled(word a) { word b = 0;
  """ + "\n  ".join(f"if (a & (word)1 << {i}) b |= (word)1 << {i};" for i in range(32)) + """
#if __SIZEOF_POINTER__ == 8
  """ + "\n  ".join(f"if (a & (word)1 << {i}) b |= (word)1 << {i};" for i in range(32, 64)) + """
#endif
  return b; }"""  # fmt: skip

PROGRAMS: dict[str, tuple[str, str]] = {
    "bits under if": (f"static int x; {_BITS}", "*(int *)bits((word)&x) = 5; happened = x == 5;"),
    "bits under if, another object": (f"static int x, y; {_BITS}", "*(int *)bits((word)&x) = 5; happened = y == 5;"),
    "bits under if, one by one": (f"static int x; {_UNROLLED}", "*(int *)unrolled((word)&x) = 5; happened = x == 5;"),
    "bits that start from another pointer": (
        "static int x, y;",
        """word a = (word)&x, b = (word)&y; for (int i = 0; i < BITS; i++) if (a >> i & 1) b |= (word)1 << i; else b &= ~((word)1 << i);
        *(int *)b = 5; happened = x == 5;""",
    ),
    "a sum of bits": (f"static int x; {_SUM}", "*(int *)sum((word)&x) = 5; happened = x == 5;"),
    "a sum of bits, or another pointer": (
        f"static int x, y; {_SUM}",
        "int *p = &y; *p = 1; p = (int *)sum((word)&x); *p = 5; happened = x == 5 && y == 1;",
    ),
    "bits in a field": (
        f"static int x; static struct {{ int a; void *p; }} s; {_BITS}",
        "s.p = (void *)bits((word)&x); *(int *)s.p = 5; happened = x == 5;",
    ),
    "bits of the second field": (
        f"static struct {{ int a, b; }} x; {_BITS}",
        "*(int *)bits((word)&x.b) = 5; happened = x.b == 5 && x.a == 0;",
    ),
    "bits, moved by a field": (
        f"static struct {{ int a, b; }} x; {_BITS}",
        "*(int *)(bits((word)&x) + sizeof(int)) = 5; happened = x.b == 5 && x.a == 0;",
    ),
    "bisection": (f"static int x; {_FIND}", "*(int *)find((word)&x) = 5; happened = x == 5;"),
    "bisection with signed numbers": (
        "static int x;",
        """long long lo = -1, hi = (long long)1 << 62, a = (long long)(word)&x; while (hi - lo > 1) { long long mid = lo + (hi - lo) / 2;
        if (mid < a) lo = mid; else hi = mid; } *(int *)(word)hi = 5; happened = x == 5;""",
    ),
    "bisection between two objects": (
        "static int a[4], x, b[4];",
        """word low = (word)a, high = (word)b, t = (word)&x; if (low > high) { word h = low; low = high; high = h; }
        if (t < low) low = t; if (t > high) high = t;
        while (low < high) { word mid = low + (high - low) / 2; if (mid < t) low = mid + 1; else high = mid; }
        *(int *)low = 5; happened = x == 5;""",
    ),
    "digits": (
        "static int x;",
        """word a = (word)&x, b = 0; char text[24]; int n = 0; do text[n++] = '0' + a % 10; while (a /= 10);
        while (n) b = 10 * b + (text[--n] - '0'); *(int *)b = 5; happened = x == 5;""",
    ),
    "hexadecimal digits by a table": (
        'static int x; static const char digit[] = "0123456789abcdef";',
        """word a = (word)&x, b = 0; char text[16]; for (int i = 0; i < BITS / 4; i++) text[i] = digit[a >> 4 * i & 15];
        for (int i = BITS / 4; i--;) for (int d = 0; d < 16; d++) if (digit[d] == text[i]) b = b << 4 | d;
        *(int *)b = 5; happened = x == 5;""",
    ),
    "a switch": (
        "static int x;",
        """word a = (word)&x, b = 0; for (int i = 0; i < BITS; i += 2) { word d = 0;
        switch (a >> i & 3) { case 1: d = 1; break; case 2: d = 2; break; case 3: d = 3; } b |= d << i; }
        *(int *)b = 5; happened = x == 5;""",
    ),
    "an index": (
        "static int x; static word table[256];",
        """for (int i = 0; i < 256; i++) table[i] = i; word a = (word)&x, b = 0;
        for (int i = 0; i < BITS; i += 8) b |= table[a >> i & 255] << i; *(int *)b = 5; happened = x == 5;""",
    ),
    "a mark in a table": (
        "static int x; static byte marked[2 * sizeof(word)][16];",
        """word a = (word)&x, b = 0; for (int i = 0; i < 2 * sizeof a; i++) marked[i][a >> 4 * i & 15] = 1;
        for (int i = 0; i < 2 * sizeof a; i++) for (int d = 0; d < 16; d++) if (marked[i][d]) b |= (word)d << 4 * i;
        *(int *)b = 5; happened = x == 5;""",
    ),
    "a number of rounds": (
        "static int x;",
        """word a = (word)&x, b = 0; for (int i = 0; i < BITS; i += 4) { word d = 0; for (word n = a >> i & 15; n; n--) d++; b |= d << i; }
        *(int *)b = 5; happened = x == 5;""",
    ),
    "a conditional expression": (
        "static int x;",
        "word a = (word)&x, b = 0; for (int i = BITS; i--;) b = b << 1 | (a >> i & 1 ? 1 : 0); *(int *)b = 5; happened = x == 5;",
    ),
    "a comparison as a bit": (
        "static int x;",
        "word a = (word)&x, b = 0; for (int i = BITS; i--;) b = b * 2 + ((a & (word)1 << i) != 0); *(int *)b = 5; happened = x == 5;",
    ),
    "a truth value": (
        "static int x;",
        "word a = (word)&x, b = 0; for (int i = BITS; i--;) { _Bool d = a & (word)1 << i; b += b + d; } *(int *)b = 5; happened = x == 5;",
    ),
    "bit-fields": (
        "static int x; struct low { word a : 5, b : 7, c : 20; };",
        """word a = (word)&x; struct low l; l.a = a; l.b = a >> 5; l.c = a >> 12; word high = a >> 16 >> 16 << 16 << 16;
        *(int *)(high | (word)l.c << 12 | (word)l.b << 5 | l.a) = 5; happened = x == 5;""",
    ),
    "a union of a pointer and a number": (
        "static int x; static union { int *p; word n; } u;",
        "u.p = &x; u.n += 0; word n = u.n; *(int *)n = 5; happened = x == 5;",
    ),
    "a union of a pointer and bytes": (
        "static int x; static union { int *p; byte b[sizeof(word)]; } u, v;",
        "u.p = &x; for (int i = 0; i < sizeof u; i++) v.b[i] = u.b[i]; *v.p = 5; happened = x == 5;",
    ),
    "bytes that are changed and changed back": (
        "static int x; static union { int *p; byte b[sizeof(word)]; } u, v;",
        "u.p = &x; for (int i = 0; i < sizeof u; i++) v.b[i] = u.b[i] ^ 85; for (int i = 0; i < sizeof u; i++) v.b[i] ^= 85; *v.p = 5; happened = x == 5;",
    ),
    "bytes that are moved": (
        "static int x[4]; static union { int *p; byte b[sizeof(word)]; } u;",
        "u.p = x; unsigned carry = 8; for (int i = 0; i < sizeof u; i++) { carry += u.b[i]; u.b[i] = carry; carry >>= 8; } *u.p = 5; happened = x[2] == 5;",
    ),
    "bytes through a buffer": (
        "static int x; static byte raw[32];",
        "int *p = &x, *q; byte *f = (byte *)&p, *t = (byte *)&q; for (int i = 0; i < sizeof p; i++) raw[2 * i] = f[i]; for (int i = 0; i < sizeof p; i++) t[i] = raw[2 * i]; *q = 5; happened = x == 5;",
    ),
    "bytes under if": (
        "static int x;",
        """int *p = &x; byte *f = (byte *)&p; word b = 0; for (int i = 0; i < sizeof p; i++) for (int k = 0; k < 8; k++)
        if (f[i] & 1 << k) b |= (word)1 << (8 * i + k); *(int *)b = 5; happened = x == 5;""",
    ),
    "bytes that are compared": (
        "static int x;",
        "int *p = &x; byte *f = (byte *)&p; word b = 0; for (int i = 0; i < sizeof p; i++) for (int d = 0; d < 256; d++) if (f[i] == d) b |= (word)d << 8 * i; *(int *)b = 5; happened = x == 5;",
    ),
    "bytes of a copy": (
        "static int x;",
        """int *p = &x; byte raw[sizeof p]; memcpy(raw, &p, sizeof p); word b = 0; for (int i = sizeof p; i--;) b = b << 8 | raw[i];
        *(int *)b = 5; happened = x == 5;""",
    ),
    "memcpy in pieces": (
        "static int x;",
        "int *p = &x, *q; for (int i = 0; i < sizeof p; i++) memcpy((char *)&q + i, (char *)&p + i, 1); *q = 5; happened = x == 5;",
    ),
    "memcpy of halves": (
        "static int x;",
        "int *p = &x, *q; memcpy(&q, &p, sizeof p / 2); memcpy((char *)&q + sizeof p / 2, (char *)&p + sizeof p / 2, sizeof p / 2); *q = 5; happened = x == 5;",
    ),
    "memcpy of as many bytes as a variable says": (
        "static int x; static volatile int n = sizeof(word);",
        "int *p = &x, *q; memcpy(&q, &p, n); *q = 5; happened = x == 5;",
    ),
    "memset of single bytes": (
        "static int x;",
        "int *p = &x, *q = 0; byte *f = (byte *)&p; for (int i = 0; i < sizeof p; i++) memset((char *)&q + i, f[i], 1); *q = 5; happened = x == 5;",
    ),
    "memcmp": (
        "static int x;",
        """int *p = &x; byte guess[sizeof p]; for (int i = 0; i < sizeof p; i++) for (int d = 0; d < 256; d++) {
        byte c = d; if (memcmp((byte *)&p + i, &c, 1) == 0) guess[i] = d; } int *q; memcpy(&q, guess, sizeof q); *q = 5; happened = x == 5;""",
    ),
    "halves": (
        "static int x;",
        "int *p = &x, *q; unsigned short h[sizeof p / 2]; for (int i = 0; i < sizeof p / 2; i++) h[i] = ((unsigned short *)&p)[i]; for (int i = 0; i < sizeof p / 2; i++) ((unsigned short *)&q)[i] = h[i]; *q = 5; happened = x == 5;",
    ),
    "two at once": (
        "static int x, y; struct two { int *a, *b; };",
        "struct two s = { &x, &y }, t = s; *t.b = 5; happened = y == 5 && x == 0;",
    ),
    "a double": (
        "static int x;",
        "word a = (word)&x; double high = (double)(a >> 16), low = (double)(a & 65535); word b = ((word)high << 16) + (word)low; *(int *)b = 5; happened = x == 5;",
    ),
    "an exclusive or": (
        "static int x, y;",
        "word both = (word)&x ^ (word)&y; int *p = (int *)(both ^ (word)&y); *p = 5; happened = x == 5 && y == 0;",
    ),
    "an exclusive or, the other": (
        "static int x, y;",
        "word both = (word)&x ^ (word)&y; int *p = (int *)(both ^ (word)&x); *p = 5; happened = x == 5;",
    ),
    "a list of exclusive ors": (
        "struct node { word link; int value; }; static struct node n[4];",
        """for (int i = 0; i < 4; i++) { n[i].value = i + 1; n[i].link = (i ? (word)&n[i - 1] : 0) ^ (i < 3 ? (word)&n[i + 1] : 0); }
        int sum = 0; word before = 0; struct node *p = n; while (p) { sum += p->value; word next = p->link ^ before; before = (word)p; p = (struct node *)next; }
        happened = sum == 10;""",
    ),
    "exclusive ors on the heap": (
        "struct node { word link; int value; };",
        """struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b); if (!a || !b) return 0; a->link = (word)b; b->link = (word)a; a->value = 1; b->value = 2;
        struct node *p = (struct node *)(a->link ^ 0); p->value += 5; happened = b->value == 7 && a->value == 1;""",
    ),
    "swapped by exclusive ors": (
        "static int x, y;",
        "word a = (word)&x, b = (word)&y; a ^= b; b ^= a; a ^= b; *(int *)a = 5; happened = y == 5 && x == 0;",
    ),
    "a flag in a pointer": (
        "static int x;",
        "word t = (word)&x | 1; happened = 0; if (t & 1) { *(int *)(t & ~(word)1) = 5; happened = x == 5; }",
    ),
    "a flag that is added": (
        "static int x;",
        "word t = (word)&x + 1; if (t & 1) t -= 1; *(int *)t = 5; happened = x == 5;",
    ),
    "colours in pointers": (
        "struct node { word parent; int value; }; static struct node root, leaf;",
        """leaf.parent = (word)&root | 2; root.parent = 1; struct node *p = (struct node *)(leaf.parent & ~(word)3); p->value = 5;
        happened = root.value == 5 && leaf.value == 0 && (leaf.parent & 3) == 2;""",
    ),
    "a flag that is not known, in a pointer": (
        "static int x, y; static volatile int flag = 1;",
        "word t = (word)&x | flag; if (t & 1) *(int *)(t & ~(word)1) = 5; happened = x == 5 && y == 0;",
    ),
    "a test of the alignment": (
        "static int x;",
        "int *p = &x; if ((word)p % sizeof(int) == 0) *p = 5; happened = x == 5;",
    ),
    "aligned up": (
        "static char arena[64];",
        "char *p = arena + 1; p = (char *)(((word)p + 7) & ~(word)7); *p = 5; happened = 0; for (int i = 0; i < 16; i++) if (arena[i] == 5) happened = 1;",
    ),
    "aligned down to a page": (
        "static char arena[8192] __attribute__((aligned(4096)));",
        "char *p = arena + 5000; *(char *)((word)p & ~(word)4095) = 5; happened = arena[4096] == 5;",
    ),
    "a hash of addresses": (
        "struct node { struct node *next; int value; }; static struct node *buckets[8], a, b;",
        """struct node *all[2] = { &a, &b }; for (int i = 0; i < 2; i++) { unsigned h = ((word)all[i] >> 4) % 8; all[i]->next = buckets[h]; buckets[h] = all[i]; all[i]->value = i + 1; }
        int sum = 0; for (int h = 0; h < 8; h++) for (struct node *p = buckets[h]; p; p = p->next) sum += p->value; happened = sum == 3;""",
    ),
    "container_of": (
        "struct inner { int i; }; struct outer { int o; struct inner in; }; static struct outer s;",
        "struct inner *p = &s.in; struct outer *q = (struct outer *)((char *)p - (size)&((struct outer *)0)->in); q->o = 5; happened = s.o == 5;",
    ),
    "container_of with numbers": (
        "struct inner { int i; }; struct outer { int o; struct inner in; }; static struct outer s;",
        "word p = (word)&s.in; p -= (word)&((struct outer *)0)->in; ((struct outer *)p)->o = 5; happened = s.o == 5;",
    ),
    "bounds": (
        f"static int x, a[4]; {_BITS}",
        "int *p = (int *)bits((word)&a[2]); if (p >= a && p < a + 4) *p = 5; happened = a[2] == 5 && x == 0;",
    ),
    "bounds as numbers": (
        f"static int a[4]; {_BITS}",
        "word n = bits((word)&a[2]); if (n >= (word)a && n < (word)(a + 4)) *(int *)n = 5; happened = a[2] == 5;",
    ),
    "between two elements": (
        f"static int a[2]; {_BITS}",
        "word n = bits((word)a) + 2; *(short *)n = 5; happened = a[0] == 5 << 16;",
    ),
    "numbers in an array": (
        "static int x, y; static word all[2];",
        "all[0] = (word)&x; all[1] = (word)&y; for (int i = 0; i < 2; i++) *(int *)all[i] = i + 5; happened = x == 5 && y == 6;",
    ),
    "halves of numbers in an array": (
        "static int x; static unsigned short all[sizeof(word) / 2];",
        "for (int i = 0; i < sizeof(word) / 2; i++) all[i] = (word)&x >> 16 * i; word b = 0; for (int i = sizeof(word) / 2; i--;) b = b << 16 | all[i]; *(int *)b = 5; happened = x == 5;",
    ),
    "variable arguments": (
        f"static int x; {_BITS} static void store(int n, ...) {{ __builtin_va_list l; __builtin_va_start(l, n); word a = __builtin_va_arg(l, word); *(int *)a = 5; __builtin_va_end(l); }}",
        "store(1, bits((word)&x)); happened = x == 5;",
    ),
    "a struct": (
        f"static int x; struct s {{ int n; word a; }}; {_BITS} static struct s pack(word a) {{ struct s s = {{ 1, bits(a) }}; return s; }}",
        "struct s s = pack((word)&x), t; t = s; *(int *)t.a = 5; happened = x == 5;",
    ),
    "a global variable": (
        f"static int x; static word g; {_BITS} static void learn(int *p) {{ g = bits((word)p); }} static void use(void) {{ *(int *)g = 5; }}",
        "learn(&x); use(); happened = x == 5;",
    ),
    "a local object": (f"{_BITS}", "int x = 0; *(int *)bits((word)&x) = 5; happened = x == 5;"),
    "an object on the heap": (
        f"{_BITS}",
        "int *p = malloc(sizeof *p); if (!p) return 0; *p = 1; *(int *)bits((word)p) = 5; happened = *p == 5;",
    ),
    "what a number is stored over": (
        f"static int *p; static int x, y; {_BITS}",
        "p = &y; *p = 1; *(word *)&p = bits((word)&x); *p = 5; happened = x == 5 && y == 1;",
    ),
    "a function as a number": (
        f"static int x; static void set(void) {{ x = 5; }} static void other(void) {{ x = 6; }} {_BITS}",
        "void (*f)(void) = other; f(); f = (void (*)(void))bits((word)set); f(); happened = x == 5;",
    ),
    "a function that is found by bisection": (
        f"static int x; static void set(void) {{ x = 5; }} {_FIND}",
        "((void (*)(void))find((word)set))(); happened = x == 5;",
    ),
    "a label as a number": (
        "static int x;",
        "word a = (word)&&there, b = 0; for (int i = 0; i < BITS; i++) if (a >> i & 1) b |= (word)1 << i; goto *(void *)b; there: x = 5; happened = x == 5;",
    ),
    "the distance of two objects": (
        "static int x, y;",
        "word d = (word)&y - (word)&x; *(int *)((word)&x + d) = 5; happened = y == 5 && x == 0;",
    ),
    "the distance of two pointers": (
        "static int x, y;",
        "long d = (char *)&y - (char *)&x; *(int *)((char *)&x + d) = 5; happened = y == 5 && x == 0;",
    ),
    "bits of a distance": (
        f"static int x, y; {_BITS}",
        "word d = bits((word)&y - (word)&x); *(int *)((word)&x + d) = 5; happened = y == 5 && x == 0;",
    ),
    "a number less an address": (
        f"static int x; {_BITS}",
        "word n = bits(1000 - (word)&x); *(int *)(1000 - n) = 5; happened = x == 5;",
    ),
    "the negative of an address": ("static int x;", "word n = -(word)&x; *(int *)-n = 5; happened = x == 5;"),
    "the complement of an address": ("static int x;", "word n = ~(word)&x; *(int *)~n = 5; happened = x == 5;"),
    "the quotient and the remainder": (
        "static int x;",
        "word a = (word)&x, q = a / 1000, r = a % 1000; *(int *)(q * 1000 + r) = 5; happened = x == 5;",
    ),
    "multiplied and divided": ("static int x;", "word a = (word)&x >> 2; a *= 4; *(int *)a = 5; happened = x == 5;"),
    "rotated": (
        "static int x;",
        "word a = (word)&x; a = a << 7 | a >> (BITS - 7); a = a >> 7 | a << (BITS - 7); *(int *)a = 5; happened = x == 5;",
    ),
    "one object after the other": (
        f"static int x, y; {_BITS}",
        "int *all[2] = { &x, &y }; for (int i = 0; i < 2; i++) *(int *)bits((word)all[i]) = i + 5; happened = x == 5 && y == 6;",
    ),
    "read through a number": (f"static int x = 7; {_BITS}", "int y = *(int *)bits((word)&x); happened = y == 7;"),
    "a pointer behind a number": (
        f"static int x; static int *p = &x; {_BITS}",
        "int **q = (int **)bits((word)&p); **q = 5; happened = x == 5;",
    ),
    "an address that is stored through a number": (
        f"static int x, y; static int *p = &y; {_BITS}",
        "*(int **)bits((word)&p) = &x; *p = 5; happened = x == 5 && y == 0;",
    ),
    "copied through a number": (
        f"static int x[2], y[2] = {{ 3, 4 }}; {_BITS}",
        "memcpy((void *)bits((word)x), y, sizeof x); happened = x[1] == 4;",
    ),
    "filled through a number": (
        f"static int x[2]; {_BITS}",
        "memset((void *)bits((word)x), 1, sizeof x); happened = x[1] == 0x01010101;",
    ),
    "nobody looks at it": (
        f"static int x, y; {_BITS}",
        "word n = bits((word)&x); int *p = &y; *p = 5; happened = x == 0 && y == 5 && n != 0;",
    ),
    "compared only": ("static int x, y;", "int *p = &x; if (p == 0 || p == &y) y = 1; happened = y == 1;"),
    "one past the end": (
        "static int a[4];",
        "int n = 0; for (int *p = a; p != a + 4; p++) { *p = 5; n++; } happened = n == 4 && a[3] == 5;",
    ),
    "from the end": ("static int a[4];", "int *p = a + 4; while (p-- > a) *p = 5; happened = a[0] == 5;"),
    "NULL and an index": (
        f"static int x; {_BITS}",
        "char *p = 0; p += bits((word)&x); *(int *)p = 5; p = 0; p[bits((word)&x)]++; happened = x == 6;",
    ),
    "a narrow difference": (
        "static int x;",
        """int n = 7; unsigned low = (unsigned)(word)&x - (unsigned)n; word a = (word)&x; a = a >> 16 >> 16 << 16 << 16;
        *(int *)(a | (unsigned)(low + n)) = 5; happened = x == 5;""",
    ),
    "walked from one object to another": (
        "static int a[3], x;",
        "char *p = (char *)a, *q = (char *)&x; int n = p < q ? 1 : -1; while (p != q) p += n; *(int *)p = 5; happened = x == 5;",
    ),
}

OPEN = frozenset(("walked from one object to another",))
"""Programs that get somewhere only by comparisons that C leaves open."""

OUTSIDE = "extern word any(void); extern int printf(const char *, ...); extern int sscanf(const char *, const char *, ...);"

REACHED: dict[str, str] = {  # their error can be reached, if an input is the right number
    "an input within bounds": "int a[4]; int main(void) { int *p = (int *)any(); if (p >= a && p < a + 4) *p = 5; if (a[1]) reach_error(); }",
    "an input within bounds, between elements": "int a[4]; int main(void) { char *p = (char *)any(); if (p > (char *)a && p < (char *)(a + 1)) *p = 5; if (a[0]) reach_error(); }",
    "a number within bounds": "int a[4]; int main(void) { word n = any(); if (n - (word)a < sizeof a) *(char *)n = 5; if (a[3]) reach_error(); }",
    "an input that is equal": "int x; int main(void) { int *p = (int *)any(); if (p == &x) *p = 5; if (x) reach_error(); }",
    "an input that was equal": "int x, y; int main(void) { int *p = (int *)any(), *q = &x; y = p == q; *p = 5; if (x) reach_error(); }",
    "an address that was printed": 'int x; int main(void) { printf("%p", &x); *(int *)any() = 5; if (x) reach_error(); }',
    "a number that was printed": 'int x; int main(void) { word n = (word)&x; printf("%lu", n); *(int *)any() = 5; if (x) reach_error(); }',
    "a number in a list that was printed": "int x; extern int vprintf(const char *, __builtin_va_list);"
    " void show(const char *f, ...) { __builtin_va_list l; __builtin_va_start(l, f); vprintf(f, l); __builtin_va_end(l); }"
    ' int main(void) { show("%lu", (word)&x); *(int *)any() = 5; if (x) reach_error(); }',
    "a number in a text": "int x; extern int sprintf(char *, const char *, ...);"
    ' int main(void) { char t[30]; sprintf(t, "%lu", (word)&x); *(int *)any() = 5; if (x) reach_error(); }',
    "an address that assembly got": 'int x; int main(void) { __asm__("" : : "r"(&x)); *(int *)any() = 5; if (x) reach_error(); }',
    "an address that assembly gives back": 'int x; int main(void) { int *p = &x; __asm__("" : "+r"(p)); *p = 5; if (x) reach_error(); }',
    "a byte that nobody uses": "int x; int main(void) { byte b = (word)&x; *(int *)any() = 5; if (x) reach_error(); }",
    "a byte of a pointer": "int x; int *p; int main(void) { p = &x; byte b = *(byte *)&p; *(int *)any() = 5; if (x) reach_error(); }",
    "a test that decides nothing": "int x, y; int main(void) { if ((word)&x % 64 == 32) y = 1; *(int *)any() = 5; if (x) reach_error(); }",
    "an object on the heap": "int main(void) { int *p = malloc(4); if (!p) return 0; *p = 0; byte b = (word)p; *(int *)any() = 5; if (*p) reach_error(); }",
    "a pointer from outside that is equal": "int x; extern int **get(void); int main(void) { int **p = get(); if (p && *p == &x) **p = 5; if (x) reach_error(); }",
    "a pointer from outside within bounds": "int a[4]; extern int **get(void); int main(void) { int **p = get(); if (p && *p >= a && *p < a + 4) **p = 5; if (a[1]) reach_error(); }",
    "a function that is equal": "int x; void set(void) { x = 5; } int main(void) { void (*f)(void) = (void (*)(void))any(); if (f == set) f(); if (x) reach_error(); }",
    "a function whose address was used": "int x; void set(void) { x = 5; } int main(void) { byte b = (word)set; ((void (*)(void))any())(); if (x) reach_error(); }",
    "a function by an expression": "int x; void set(void) { x = 5; } int main(void) { word k = any(); ((void (*)(void))((word)set ^ k ^ k))(); if (x) reach_error(); }",
    "a number that is scanned": 'int x; int main(void) { word n; char s[] = "1"; byte b = (word)&x; if (sscanf(s, "%lu", &n) == 1) *(int *)n = 5; if (x) reach_error(); }',
    "bytes from outside over a pointer": "int x, y, *p = &y; int main(void) { byte b = (word)&x; for (int i = 0; i < sizeof p; i++) ((byte *)&p)[i] = any(); *p = 5; if (x) reach_error(); }",
    "an input among pointers": "int x, y; int main(void) { byte b = (word)&x; int *p = any() ? &y : (int *)any(); *p = 5; if (x) reach_error(); }",
    "a recursive number": "int x; word back(word n) { return n ? back(n - 1) + 1 : 0; } int main(void) { byte b = (word)&x; word k = any() & 3; *(int *)((word)&x + back(k) - k) = 5; if (x) reach_error(); }",
}

PROVED: dict[str, str] = {  # no number can be the address of what was not exposed, and pointers keep to what they were made for
    "nothing is exposed": "int x; int main(void) { *(int *)any() = 5; if (x) reach_error(); }",
    "compared with NULL": "int x; int main(void) { int *p = &x; if (!p) return 0; *(int *)any() = 5; if (x) reach_error(); }",
    "another object is exposed": "int x, y; int main(void) { byte b = (word)&y; *(int *)any() = 5; if (x) reach_error(); }",
    "a hash, and pointers only": "int x, y; int t[16]; int main(void) { int *p = &y; t[((word)&x >> 4) % 16] = 1; *p = 5; if (x) reach_error(); }",
    "memory from outside": "int x; extern int *get(void); int main(void) { byte b = (word)&x; int *p = get(); if (p) *p = 5; if (x) reach_error(); }",
    "a flag": "struct { int a, b; } s; int main(void) { word t = (word)&s | 1; ((int *)(t & ~(word)1))[any() & 1] = 5; if (s.a && s.b) reach_error(); }",
    "an index": "int a[4], x; int main(void) { byte b = (word)&x; a[any() & 3] = 5; if (x) reach_error(); }",
    "characters": "char a[4]; int x; int main(void) { byte b = (word)&x; char *p = a; p += any() & 3; *p = 5; if (x) reach_error(); }",
}
