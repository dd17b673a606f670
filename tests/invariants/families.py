"""Generated programs whose assertions need a relation between variables that is not in the program text."""

from __future__ import annotations

from collections.abc import Iterator

TYPES = {"int": "int", "unsigned": "uint", "short": "short", "unsigned char": "uchar", "unsigned long long": "ulonglong"}


def transfer(type_: str, step: int) -> str:
    """x + y == n."""
    return f"""
int main(void) {{
  {type_} n = __VERIFIER_nondet_{TYPES[type_]}();
  {type_} x = n, y = 0;
  while (x >= {step} && __VERIFIER_nondet_int()) {{ x = x - {step}; y = y + {step}; }}
  check(({type_})(x + y) == n);
  return 0;
}}"""


def addition(type_: str, step: int) -> str:
    """res + cnt == a + b."""
    return f"""
int main(void) {{
  {type_} a = __VERIFIER_nondet_{TYPES[type_]}(), b = __VERIFIER_nondet_{TYPES[type_]}();
  {type_} res = a, cnt = b;
  while (cnt >= {step}) {{ cnt = cnt - {step}; res = res + {step}; }}
  check(({type_})(res + cnt) == ({type_})(a + b));
  return 0;
}}"""


def lockstep(type_: str, step: int) -> str:
    """j == step * i, with a bound from an input."""
    return f"""
int main(void) {{
  {type_} n = __VERIFIER_nondet_{TYPES[type_]}();
  {type_} i = 0, j = 7;
  while (i < n) {{ i = i + 1; j = j + {step}; }}
  check(j == ({type_})({step} * i + 7));
  return 0;
}}"""


def nested(type_: str, step: int) -> str:
    """The relation holds at an outer and an inner loop."""
    return f"""
int main(void) {{
  {type_} n = __VERIFIER_nondet_{TYPES[type_]}();
  {type_} x = 0, y = n, z = 3;
  while (__VERIFIER_nondet_int()) {{
    {type_} k = 0;
    while (k < 5 && y >= {step}) {{ x = x + {step}; y = y - {step}; k = k + 1; }}
    z = z + 2;
  }}
  check(({type_})(x + y) == n);
  check((z & 1) == 1);
  return 0;
}}"""


def two_loops(type_: str, step: int) -> str:
    """What the first loop does, the second undoes."""
    return f"""
int main(void) {{
  {type_} n = __VERIFIER_nondet_{TYPES[type_]}();
  {type_} up = 0, total = 0;
  while (up < n) {{ up = up + 1; total = total + {step}; }}
  while (up > 0) {{ up = up - 1; total = total - {step}; }}
  check(total == 0);
  return 0;
}}"""


FAMILIES = (transfer, addition, lockstep, nested, two_loops)


def programs() -> Iterator[tuple[str, str]]:
    """Fifty of them, with names."""
    for family in FAMILIES:
        for type_ in TYPES:
            for step in (1, 3):
                yield f"{family.__name__}_{TYPES[type_]}_{step}", family(type_, step)
