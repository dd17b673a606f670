"""Programs that treat memory roughly, yet stay inside their objects: casts, unions, container_of, copies, odd offsets."""

from __future__ import annotations

import random

_TYPES = ["char", "unsigned char", "short", "int", "unsigned", "long long", "float", "double"]

_PRELUDE = """
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct inner { int a; short b; char c[6]; };
struct outer { char tag; struct inner in; struct outer *next; union { int i; float f; unsigned char bytes[8]; } u; };
struct node { struct node *next; int value; void *data; };
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
int numbers[16]; char buffer[64]; struct outer outers[4]; struct inner lone; double reals[8];
void *slots[8]; unsigned char raw[128];
"""


def pointer_program(source: random.Random) -> str:
    pieces = source.choices(_PIECES, k=source.randint(4, 10))
    body = "\n  ".join(piece(source, index) for index, piece in enumerate(pieces))
    return f"{_PRELUDE}\nint main(void) {{\n  {body}\n  return 0;\n}}\n"


def _index(source: random.Random, bound: int) -> str:
    """An index in range, constant or computed."""
    return str(source.randrange(bound)) if source.random() < 0.4 else f"((unsigned)numbers[{source.randrange(16)}] % {bound}u)"


def _array(source: random.Random, k: int) -> str:
    return f"int *p{k} = numbers + {_index(source, 8)}; p{k}[{_index(source, 8)}] = {k}; *p{k} += numbers[{_index(source, 16)}];"


def _cast(source: random.Random, k: int) -> str:
    type_ = source.choice(_TYPES)
    return f"{type_} *p{k} = ({type_} *)(buffer + 8 * {_index(source, 7)}); *p{k} = ({type_}){k}; buffer[{_index(source, 64)}]++;"


def _misaligned(source: random.Random, k: int) -> str:
    return f"int *p{k} = (int *)(raw + {_index(source, 100)}); *p{k} = {k}; raw[{_index(source, 128)}] = 1; (void)*p{k};"


def _container(source: random.Random, k: int) -> str:
    return (
        f"struct inner *p{k} = &outers[{_index(source, 4)}].in; struct outer *q{k} = container_of(p{k}, struct outer, in);"
        f" q{k}->tag = {k}; p{k}->b = q{k}->u.i; q{k}->next = &outers[{_index(source, 4)}];"
    )


def _follow(source: random.Random, k: int) -> str:
    return f"struct outer *r{k} = outers[{_index(source, 4)}].next; if (r{k}) {{ r{k}->in.a++; r{k}->u.f = 1.5f; outers[0].u.i = r{k}->in.a; }}"


def _union(source: random.Random, k: int) -> str:
    return f"outers[{_index(source, 4)}].u.bytes[{_index(source, 8)}] = {k}; outers[{_index(source, 4)}].u.i++;"


def _copy(source: random.Random, k: int) -> str:
    count = source.choice(["sizeof(struct outer)", "sizeof(struct inner)", "4", "7", str(source.randint(1, 16))])
    return source.choice(
        [
            f"memcpy(&outers[{_index(source, 3)}], &outers[3], {count});",
            f"memmove(buffer + {_index(source, 16)}, buffer + {_index(source, 16)}, {count if count.isdigit() else 12});",
            f"lone = outers[{_index(source, 4)}].in; outers[{_index(source, 4)}].in = lone;",
            "memcpy(raw, &lone, sizeof lone); memcpy(&outers[1].in, raw, sizeof lone);",
            f"memset(&outers[{_index(source, 4)}], {k}, {count}); outers[0].next = outers[1].next = outers[2].next = outers[3].next = 0;",
        ]
    )


def _bytes(source: random.Random, k: int) -> str:
    """A pointer copied byte by byte."""
    return (
        f"void *from{k} = &numbers[{_index(source, 8)}], *to{k}; for (unsigned i = 0; i < sizeof from{k}; i++)"
        f" ((char *)&to{k})[i] = ((char *)&from{k})[i]; *(int *)to{k} = {k}; numbers[{_index(source, 16)}]++;"
    )


def _integer(source: random.Random, k: int) -> str:
    return (
        f"__UINTPTR_TYPE__ n{k} = (__UINTPTR_TYPE__)&reals[{_index(source, 4)}]; n{k} += 8 * {_index(source, 4)};"
        f" *(double *)n{k} = {k}.5; reals[{_index(source, 8)}] += 1;"
    )


def _heap(source: random.Random, k: int) -> str:
    return (
        f"struct node *n{k} = malloc(sizeof *n{k}), *m{k} = malloc(sizeof *m{k}); if (n{k} && m{k}) {{ n{k}->next = m{k}; n{k}->value = {k};"
        f" m{k}->next = 0; m{k}->data = &n{k}->value; *(int *)m{k}->data = 3; n{k}->next->value = n{k}->value; free(m{k}); }}"
    )


def _chosen(source: random.Random, k: int) -> str:
    return (
        f"int x{k} = 1, y{k} = 2, *p{k} = numbers[{_index(source, 16)}] ? &x{k} : &y{k}; *p{k} = {k};"
        f" int **q{k} = &p{k}; **q{k} = x{k} + y{k}; slots[{_index(source, 8)}] = p{k};"
    )


def _flags(source: random.Random, k: int) -> str:
    """A flag in the low bit of a pointer."""
    return (
        f"__UINTPTR_TYPE__ t{k} = (__UINTPTR_TYPE__)&numbers[{_index(source, 8)}] | 1; if (t{k} & 1)"
        f" *(int *)(t{k} & ~(__UINTPTR_TYPE__)1) = {k}; numbers[{_index(source, 16)}]--;"
    )


_PIECES = [_array, _cast, _misaligned, _container, _follow, _union, _copy, _bytes, _integer, _heap, _chosen, _flags]
