"""Programs that violate a check of memory in their only execution, each with a repaired twin."""

from __future__ import annotations

import msgspec


class Pair(msgspec.Struct, frozen=True):
    """`wrong` and `right` are what the main function of two programs does."""

    name: str
    check: str
    wrong: str
    right: str
    before: str = ""
    sanitizer: bool = True  # gcc's say something about the wrong one

    def text(self, body: str) -> str:
        return f"#include <stdlib.h>\n#include <string.h>\nint sink;\n{self.before}\nint main(void) {{\n{body}\nreturn 0; }}\n"


LIST = "struct node { struct node *next; int value; };"
BUFFER = "struct buffer { int size; int data[4]; int after; };"

PAIRS = (
    Pair("high index", "bounds", "int a[8]; a[8] = 1;", "int a[8]; a[7] = 1;"),
    Pair(
        "copy of a size that a variable has",
        "string",
        "char a[4], b[8] = {0}; unsigned long n = 5; memcpy(a, b, n);",
        "char a[4], b[8] = {0}; unsigned long n = 4; memcpy(a, b, n);",
    ),
    Pair("low index", "bounds", "int a[8], i = -1; sink = a[i] = 0;", "int a[8], i = 0; sink = a[i] = 0;"),
    Pair("loop", "bounds", "int a[8]; for (int i = 0; i <= 8; i++) a[i] = i;", "int a[8]; for (int i = 0; i < 8; i++) a[i] = i;"),
    Pair("global", "bounds", "g[sink + 4] = 1;", "g[sink + 3] = 1;", "int g[4];"),
    Pair("read of a literal", "bounds", 'const char *s = "abc"; sink = s[4];', 'const char *s = "abc"; sink = s[3];'),
    Pair("row", "bounds", "int m[2][4]; m[0][sink + 4] = 1;", "int m[2][4]; m[1][sink + 3] = 1;"),
    Pair("inner array", "bounds", "struct buffer b; b.data[sink + 4] = 1;", "struct buffer b; b.data[sink + 3] = 1;", BUFFER),
    Pair(
        "inner array through a pointer",
        "bounds",
        "struct buffer b, *p = &b; p->data[sink + 4] = 1;",
        "struct buffer b, *p = &b; p->data[sink + 3] = 1;",
        BUFFER,
    ),
    Pair("behind a local", "bounds", "int x = 0, *p = &x; p[1] = 2;", "int x = 0, *p = &x; p[0] = 2;"),
    Pair("before a local", "bounds", "int x[2] = {0}, *p = x; p[-1] = 2;", "int x[2] = {0}, *p = x + 1; p[-1] = 2;"),
    Pair("heap", "bounds", "int *p = malloc(40); p[10] = 1; free(p);", "int *p = malloc(40); p[9] = 1; free(p);"),
    Pair("before the heap", "bounds", "int *p = malloc(40); p[-1] = 1; free(p);", "int *p = malloc(40) ; p[0] = 1; free(p);"),
    Pair(
        "wide access",
        "bounds",
        "char *p = malloc(6); *(int *)(p + 4) = 1; free(p);",
        "char *p = malloc(8); *(int *)(p + 4) = 1; free(p);",
    ),
    Pair(
        "member behind a short block",
        "bounds",
        "struct buffer *p = malloc(20); p->after = 1; free(p);",
        "struct buffer *p = malloc(24); p->after = 1; free(p);",
        BUFFER,
    ),
    Pair(
        "copy of a structure",
        "bounds",
        "struct buffer b = {0}, *p = malloc(20); *p = b; free(p);",
        "struct buffer b = {0}, *p = malloc(sizeof *p); *p = b; free(p);",
        BUFFER,
    ),
    Pair(
        "read of a structure",
        "bounds",
        "struct buffer b, *p = calloc(5, 4); b = *p; sink = b.size; free(p);",
        "struct buffer b, *p = calloc(6, 4); b = *p; sink = b.size; free(p);",
        BUFFER,
    ),
    Pair(
        "pointer that walks",
        "bounds",
        "char a[4], *p = a; for (int i = 0; i < 5; i++) *p++ = 0;",
        "char a[4], *p = a; for (int i = 0; i < 4; i++) *p++ = 0;",
    ),
    Pair(
        "pointer that walks back",
        "bounds",
        "int a[4], *p = a + 4; while (p >= a) *--p = 0;",
        "int a[4], *p = a + 4; while (p > a) *--p = 0;",
    ),
    Pair("behind the end", "bounds", "int a[4], *e = a + 4; *e = 0;", "int a[4], *e = a + 4; e[-1] = 0;"),
    Pair(
        "before the begin and back",
        "bounds",
        "int a[4], *p = a - 1; *p = 0;",
        "int a[4], *p = a - 1; ++p; *p = 0;",
    ),
    Pair(
        "far into another object",
        "bounds",
        "long d = (long)((char *)other - (char *)g); char *p = (char *)g; p[d] = 1;",
        "long d = 3; char *p = (char *)g; p[d] = 1;",
        "int g[4], other[4];",
        sanitizer=False,
    ),
    Pair("memset", "string", "char a[4]; memset(a, 0, 5);", "char a[4]; memset(a, 0, 4);"),
    Pair("memcpy from", "string", "char a[4] = {0}, b[8]; memcpy(b, a, 5);", "char a[4] = {0}, b[8]; memcpy(b, a, 4);"),
    Pair("memcpy to", "string", "char a[4], b[8] = {0}; memcpy(a, b, 5);", "char a[4], b[8] = {0}; memcpy(a, b, 4);"),
    Pair(
        "memcpy of a variable size",
        "string",
        "char a[4], b[8] = {0}; size_t n = sink + 5; memcpy(a, b, n);",
        "char a[4], b[8] = {0}; size_t n = sink + 4; memcpy(a, b, n);",
    ),
    Pair(
        "memcpy of a size that a variable has",
        "string",
        "char a[4], b[8] = {0}; int n = 5; memcpy(a, b, n);",
        "char a[4], b[8] = {0}; int n = 4; memcpy(a, b, n);",
    ),
    Pair(
        "memset of a size that a variable has",
        "string",
        "char a[4]; int n = 6; memset(a, 0, n - 1);",
        "char a[4]; int n = 5; memset(a, 0, n - 1);",
    ),
    Pair("strcpy", "string", 'char a[4]; strcpy(a, "abcd");', 'char a[5]; strcpy(a, "abcd");'),
    Pair(
        "strlen without an end",
        "string",
        "char a[2] = {'a', 'b'}; sink = strlen(a);",
        "char a[2] = {'a', 0}; sink = strlen(a);",
    ),
    Pair("strcat", "string", 'char a[6] = "abc"; strcat(a, "def");', 'char a[7] = "abc"; strcat(a, "def");'),
    Pair("variable length", "bounds", "int n = sink + 4, a[n]; a[n] = 1;", "int n = sink + 4, a[n]; a[n - 1] = 1;"),
    Pair("alloca", "bounds", "int *p = __builtin_alloca(8); p[2] = 1;", "int *p = __builtin_alloca(8); p[1] = 1;"),
    Pair(
        "argument",
        "bounds",
        "int a[3] = {0}; sink = last(a, 4);",
        "int a[3] = {0}; sink = last(a, 3);",
        "int last(int *p, int n) { return p[n - 1]; }",
    ),
    Pair(
        "union",
        "bounds",
        "union { char c[4]; int i; } u, *p = &u; p->c[sink + 4] = 1;",
        "union { char c[4]; int i; } u, *p = &u; p->c[sink + 3] = 1;",
    ),
    Pair(
        "index that wraps around",
        "bounds",
        "int a[4], *p = a; size_t i = ~(size_t)0 / 4 + 1; p[i] = 1;",
        "int a[4], *p = a; size_t i = 0; p[i] = 1;",
        sanitizer=False,
    ),
    Pair(
        "array of pointers",
        "bounds",
        "int x = 0, *a[2] = {&x, &x}; *a[sink + 2] = 1;",
        "int x = 0, *a[2] = {&x, &x}; *a[sink + 1] = 1;",
    ),
    Pair(
        "conditional operand",
        "bounds",
        "int a[2] = {0}, i = sink + 2; sink = i < 3 && a[i];",
        "int a[2] = {0}, i = sink + 2; sink = i < 2 && a[i];",
    ),
    Pair(
        "flexible member",
        "bounds",
        "struct s *p = malloc(8); p->a[1] = 1; free(p);",
        "struct s *p = malloc(12); p->a[1] = 1; free(p);",
        "struct s { int n; int a[]; };",
    ),
    Pair(
        "one element at the end",
        "bounds",
        "struct s *p = malloc(8); p->a[1] = 1; free(p);",
        "struct s *p = malloc(12); p->a[1] = 1; free(p);",
        "struct s { int n; int a[1]; };",
    ),
    Pair("compound assignment", "bounds", "int a[2] = {0}; a[sink + 2] += 1;", "int a[2] = {0}; a[sink + 1] += 1;"),
    Pair("step", "bounds", "int a[2] = {0}; a[sink + 2]++;", "int a[2] = {0}; a[sink + 1]++;"),
    Pair(
        "bit-field",
        "bounds",
        "struct f *p = malloc(1); p[1].a = 1; free(p);",
        "struct f *p = malloc(2); p[1].a = 1; free(p);",
        "struct f { unsigned char a : 3, b : 5; };",
    ),
    Pair("null", "null", "int *p = 0; *p = 1;", "int x, *p = &x; *p = 1;"),
    Pair("member of null", "null", "struct node *p = 0; p->value = 1;", "struct node n, *p = &n; p->value = 1;", LIST),
    Pair(
        "end of a list",
        "null",
        "struct node n = {0}; sink = n.next->value;",
        "struct node n = {0}; n.next = &n; sink = n.next->value;",
        LIST,
    ),
    Pair("memset of null", "null", "memset((void *)(long)sink, 0, 4);", "int x; memset(&x, 0, 4);"),
    Pair(
        "read after free",
        "use-after-free",
        "int *p = malloc(4); *p = 1; free(p); sink = *p;",
        "int *p = malloc(4); *p = 1; sink = *p; free(p);",
    ),
    Pair("write after free", "use-after-free", "int *p = malloc(4); free(p); *p = 1;", "int *p = malloc(4); *p = 1; free(p);"),
    Pair(
        "freed and allocated again",
        "use-after-free",
        "int *p = malloc(4); free(p); int *q = malloc(4); *q = 1; *p = 2; free(q);",
        "int *p = malloc(4); free(p); int *q = malloc(4); *q = 1; free(q);",
    ),
    Pair(
        "list that is freed",
        "use-after-free",
        "struct node *p = malloc(sizeof *p); p->next = 0; while (p) { free(p); p = p->next; }",
        "struct node *p = malloc(sizeof *p); p->next = 0; while (p) { struct node *n = p->next; free(p); p = n; }",
        LIST,
    ),
    Pair(
        "realloc moves",
        "use-after-free",
        "int *p = malloc(4), *q = realloc(p, 4000); *p = 1; free(q);",
        "int *p = malloc(4), *q = realloc(p, 4000); *q = 1; free(q);",
    ),
    Pair(
        "strlen after free",
        "use-after-free",
        "char *p = calloc(4, 1); free(p); sink = strlen(p);",
        "char *p = calloc(4, 1); sink = strlen(p); free(p);",
    ),
    Pair("twice", "double-free", "int *p = malloc(4); free(p); free(p);", "int *p = malloc(4); free(p); free(0);"),
    Pair("alias", "double-free", "int *p = malloc(4), *q = p; free(p); free(q);", "int *p = malloc(4), *q = p; free(q);"),
    Pair(
        "free after realloc",
        "double-free",
        "int *p = malloc(4), *q = realloc(p, 4000); free(q); free(p);",
        "int *p = malloc(4), *q = realloc(p, 4000); free(q);",
    ),
    Pair(
        "realloc after free",
        "double-free",
        "int *p = malloc(4); free(p); p = realloc(p, 8);",
        "int *p = malloc(4); p = realloc(p, 8); free(p);",
    ),
    Pair("local", "invalid-free", "int x, *p = &x; free(p);", "int *p = malloc(4); free(p);"),
    Pair("global variable", "invalid-free", "free(g);", "free(0);", "int g[4];"),
    Pair("inside", "invalid-free", "int *p = malloc(8); free(p + 1);", "int *p = malloc(8); free(p);"),
    Pair("literal", "invalid-free", 'free("abc");', 'char *p = malloc(4); strcpy(p, "abc"); free(p);'),
    Pair("free of alloca", "invalid-free", "int *p = __builtin_alloca(8); free(p);", "int *p = __builtin_alloca(8); *p = 1;"),
    Pair(
        "returned local",
        "stack-use-after-return",
        "int *p = f(); sink = *p;",
        "int *p = f(); sink = p != 0;",
        "int *keep(int *p) { return p; } int *f(void) { int x = 1; return keep(&x); }",
    ),
    Pair(
        "ended block",
        "stack-use-after-return",
        "int *p; { int x = 1; p = &x; } sink = *p;",
        "int *p; int x = 1; { p = &x; } sink = *p;",
    ),
    Pair(
        "literal of a block",
        "stack-use-after-return",
        "int *p; { p = (int[]){1, 2}; } sink = *p;",
        "int *p; p = (int[]){1, 2}; sink = *p;",
    ),
    Pair(
        "parameter",
        "stack-use-after-return",
        "f(3); sink = *kept;",
        "f(3); sink = kept != 0;",
        "int *kept; void f(int x) { kept = &x; }",
    ),
    Pair(
        "loop that goes on",
        "stack-use-after-return",
        "int *p = 0; for (int i = 0; i < 2; i++) { int x = i; p = &x; if (i) continue; } sink = *p;",
        "int *p = 0; for (int i = 0; i < 2; i++) { int x = i; p = &x; sink = *p; }",
    ),
    Pair("lost block", "leak", "int *p = malloc(4); p = 0; sink = !p;", "int *p = malloc(4); free(p); p = 0; sink = !p;"),
    Pair(
        "overwritten pointer",
        "leak",
        "kept = malloc(4); kept = malloc(4);",
        "kept = malloc(4); free(kept); kept = malloc(4); free(kept);",
        "int *kept;",
    ),
    Pair(
        "list of which the head is freed",
        "leak",
        "struct node *p = malloc(sizeof *p); p->next = malloc(sizeof *p); free(p);",
        "struct node *p = malloc(sizeof *p); p->next = malloc(sizeof *p); free(p->next); free(p);",
        LIST,
    ),
    Pair(
        "realloc that is lost",
        "leak",
        "int *p = malloc(4); p = realloc(p, 8); p = 0; sink = !p;",
        "int *p = malloc(4); p = realloc(p, 8); free(p);",
    ),
    Pair(
        "exit with a lost block",
        "leak",
        "f(0); exit(0);",
        "f(1); exit(0);",
        "void f(int frees) { int *p = malloc(4); if (frees) free(p); }",
    ),
)
