"""Programs in which addresses become numbers, go some way, and become pointers again, among others that stay pointers.

A program has no inputs; `test` returns a checksum of all that it stored to.
"""

from __future__ import annotations

import random

_PRELUDE = """
typedef __UINTPTR_TYPE__ word; typedef unsigned char byte; typedef __SIZE_TYPE__ size;
void *memcpy(void *, const void *, size); void *memset(void *, int, size); void *malloc(size);
enum { BITS = 8 * sizeof(word) };
struct pair { int a; short b; short c; }; struct node { struct node *next; int value; word link; };
static int g0, g1, g2; static int numbers[8]; static struct pair pairs[3]; static struct node nodes[3]; static short halves[6];
static word words[4]; static void *pointers[4]; static byte raw[32]; static union { void *p; word n; byte b[sizeof(word)]; } u;
static int called; static void f0(void) { called += 1; } static void f1(void) { called += 10; } static int zero;
"""

_ROUTES = {  # functions from a number to the same number
    "bits": "word b = 0; for (int i = 0; i < BITS; i++) if (a >> i & 1) b |= (word)1 << i; return b;",
    "sums": "word b = 0; for (word m = 1; m; m <<= 1) if (a & m) b += m; return b;",
    "find": "word l = 0, h = ~(word)0; while (l < h) { word m = l + (h - l) / 2; if (m < a) l = m + 1; else h = m; } return l;",
    "digits": "byte t[24]; int n = 0; word b = 0; do t[n++] = a % 10; while (a /= 10); while (n) b = b * 10 + t[--n]; return b;",
    "switched": "word b = 0; for (int i = 0; i < BITS; i += 2) switch (a >> i & 3) { case 1: b |= (word)1 << i; break;"
    " case 2: b |= (word)2 << i; break; case 3: b |= (word)3 << i; } return b;",
    "bytes": "word b; for (int i = 0; i < sizeof a; i++) ((byte *)&b)[i] = ((byte *)&a)[i]; return b;",
    "keyed": "word b = 0; for (int i = sizeof a; i--;) b = b << 8 | (((byte *)&a)[i] ^ 90); byte *p = (byte *)&b;"
    " for (int i = 0; i < sizeof a; i++) p[i] ^= 90; return b;",
    "copied": "word b; for (int i = 0; i < sizeof a; i++) memcpy((byte *)&b + i, (byte *)&a + i, 1); return b;",
    "buffered": "for (int i = 0; i < sizeof a; i++) raw[i + 3] = ((byte *)&a)[i]; word b; memcpy(&b, raw + 3, sizeof b); return b;",
    "filled": "word b = 0; for (int i = 0; i < sizeof a; i++) memset((byte *)&b + i, ((byte *)&a)[i], 1); return b;",
    "united": "u.n = a; word b = 0; for (int i = sizeof a; i--;) b = b << 8 | u.b[i]; return b;",
    "halved": "unsigned short h[sizeof a / 2]; for (int i = 0; i < sizeof a / 2; i++) h[i] = a >> 16 * i; word b = 0;"
    " for (int i = sizeof a / 2; i--;) b = b << 16 | h[i]; return b;",
    "turned": "a = a << 9 | a >> (BITS - 9); return a >> 9 | a << (BITS - 9);",
    "negative": "return -(-a - 5) - 5;",
    "complement": "a = ~a; return ~a;",
    "excluded": "a ^= (word)&g2; return a ^ (word)&g2;",
    "divided": "return a / 100 * 100 + a % 100;",
    "flagged": "a |= 1; return (a & 1) ? a & ~(word)1 : a;",
    "real": "double h = (double)(a >> 20), l = (double)(a & 0xfffff); return ((word)h << 20) + (word)l;",
    "counted": "word b = 0; for (int i = 0; i < BITS; i += 4) { word d = 0; for (int n = a >> i & 15; n; n--) d++; b |= d << i; } return b;",
    "stored": "words[1] = a; return words[zero + 1];",
    "distant": "word d = a - (word)&g1; return (word)&g1 + d;",
    "plain": "return a;",
}
_TARGETS = ["g0", "g1", "g2", "local", "numbers[{i}]", "pairs[{j}].a", "nodes[{j}].value", "*heap"]
_NARROW = ["pairs[{j}].b", "pairs[{j}].c", "halves[{k}]"]


def number_program(source: random.Random) -> str:
    routes = source.sample(list(_ROUTES), source.randint(1, 3))
    functions = "\n".join(f"static word {name}(word a) {{ {_ROUTES[name]} }}" for name in routes)
    steps = "\n  ".join(_step(source, routes, k) for k in range(source.randint(2, 5)))
    return f"""{_PRELUDE}{functions}
int test(void) {{ int local = 0, *heap = malloc(sizeof *heap); if (!heap) return 0; *heap = 0;
  {steps}
  int sum = g0 + 2 * g1 + 3 * g2 + 5 * local + 7 * *heap + 11 * called;
  for (int i = 0; i < 8; i++) sum = sum * 3 + numbers[i];
  for (int i = 0; i < 3; i++) sum = sum * 5 + pairs[i].a + 2 * pairs[i].b + 3 * pairs[i].c + 4 * nodes[i].value;
  for (int i = 0; i < 6; i++) sum = sum * 3 + halves[i];
  return sum; }}
"""


def _step(source: random.Random, routes: list[str], k: int) -> str:
    return source.choice((_stored, _stored, _narrow, _field, _list, _called, _kept, _bounded, _either, _plainly))(
        source, routes, k
    )


def _target(source: random.Random, narrow: bool = False) -> str:
    form = source.choice(_NARROW if narrow else _TARGETS)
    return form.format(
        i=source.choice((source.randrange(8), f"zero + {source.randrange(8)}")), j=source.randrange(3), k=source.randrange(6)
    )


def _sent(source: random.Random, routes: list[str], address: str) -> str:
    for name in source.sample(routes, min(len(routes), source.choice((1, 1, 2)))):
        address = f"{name}({address})"
    return address


def _stored(source: random.Random, routes: list[str], k: int) -> str:
    return f"*(int *){_sent(source, routes, f'(word)&{_target(source)}')} += {k + 5};"


def _narrow(source: random.Random, routes: list[str], k: int) -> str:
    return f"short *s{k} = (short *){_sent(source, routes, f'(word)&{_target(source, True)}')}; *s{k} = {k + 7};"


def _field(source: random.Random, routes: list[str], k: int) -> str:
    j = source.randrange(3)
    return f"((struct pair *){_sent(source, routes, f'(word)&pairs[{j}]')})->{source.choice('abc')} += {k + 2};"


def _list(source: random.Random, routes: list[str], k: int) -> str:
    first, second = source.sample(range(3), 2)
    return (
        f"nodes[{first}].link = {_sent(source, routes, f'(word)&nodes[{second}]')}; nodes[{second}].next = &nodes[{first}];"
        f" ((struct node *)nodes[{first}].link)->next->value += {k + 3};"
    )


def _called(source: random.Random, routes: list[str], k: int) -> str:
    routes = [name for name in routes if name != "flagged"] or ["(word)"]  # functions may lie at odd addresses
    return f"void (*c{k})(void) = (void (*)(void)){_sent(source, routes, f'(word)f{source.randrange(2)}')}; c{k}();"


def _kept(source: random.Random, routes: list[str], k: int) -> str:
    place = source.randrange(4)
    return f"pointers[{place}] = (void *){_sent(source, routes, f'(word)&{_target(source)}')}; *(int *)pointers[zero + {place}] += {k + 9};"


def _bounded(source: random.Random, routes: list[str], k: int) -> str:
    at = source.randrange(8)
    return f"int *b{k} = (int *){_sent(source, routes, f'(word)&numbers[{at}]')}; if (b{k} >= numbers && b{k} < numbers + 8) *b{k} = {k + 4};"


def _either(source: random.Random, routes: list[str], k: int) -> str:
    sent = _sent(source, routes, f"(word)&{_target(source)}")
    return (
        f"int *e{k} = &{_target(source)}; *e{k} += 1; if (zero == {source.randrange(2)}) e{k} = (int *){sent}; *e{k} += {k + 6};"
    )


def _plainly(source: random.Random, routes: list[str], k: int) -> str:
    return f"int *p{k} = &{_target(source)}; *p{k} += {k + 8}; if ((word)p{k} % 2 == 0) *p{k} += 1;"
