"""Families of C programs for measuring what several workers bring; all of them are safe.

Beyer, Kettl, Lemberger 2024 (section 5, Figures 11 to 14) tell where distributed summary synthesis gains and where it loses: a
program with calls of functions that are hard to verify. `unreachable` is their Figure 11, with n calls that are never made: to
look at them is work for nothing. `reachable` is Figure 13, with n calls of which each execution makes one: the proofs have
nothing to do with each other. `sequence` has n loops one after the other, each with errors of its own; in `chain`, what a loop
needs was established before all others, and has to come through all of them. `work` is how many pairs of variables a loop keeps
equal. `devices` has n drivers of devices, as Linux has them, each called `work` times through a table of functions.
"""

from __future__ import annotations

from collections.abc import Callable

_HEAD = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
"""


def _hard(name: str, work: int) -> str:
    """A function with a loop. Each pair of variables is equal, as each of the two ways through the body keeps it."""
    lines = [f"static void {name}(int start) {{"]
    for pair in range(work):
        lines.append(f"  unsigned a{pair} = (unsigned)start + {pair}u, b{pair} = a{pair};")
    lines.append("  while (__VERIFIER_nondet_int()) {")
    for pair in range(work):
        lines += [
            "    if (__VERIFIER_nondet_int()) {",
            f"      a{pair} = a{pair} * 3u + {pair}u;",
            f"      b{pair} = b{pair} + {pair}u + (b{pair} << 1);",
            "    } else {",
            f"      a{pair} = a{pair} ^ {2 * pair + 1}u;",
            f"      b{pair} = b{pair} ^ {2 * pair + 1}u;",
            "    }",
        ]
    lines.append("  }")
    for pair in range(work):
        lines += [f"  if (a{pair} != b{pair})", "    reach_error();"]
    return "\n".join([*lines, "}"]) + "\n"


def _program(functions: list[str], body: list[str]) -> str:
    main = ["int main(void) {", *(f"  {line}" for line in body), "  return 0;", "}"]
    return _HEAD + "".join(functions) + "\n".join(main) + "\n"


def unreachable(calls: int, work: int = 2) -> str:
    """Figure 11; the loop before the calls keeps it from being seen at once."""
    names = range(1, calls + 1)
    body = [f"int x{n} = 0;" for n in names]
    body += ["while (__VERIFIER_nondet_int()) {", "  int first = x1;"]
    body += [f"  x{n} = {f'x{n + 1}' if n < calls else 'first'};" for n in names]
    body += ["}", *(f"if (x{n}) hard{n}(x{n});" for n in names)]
    return _program([_hard(f"hard{n}", work) for n in names], body)


def reachable(calls: int, work: int = 2) -> str:
    """Figure 13."""
    names = range(1, calls + 1)
    body = ["int x = __VERIFIER_nondet_int();"]
    body += [f"{'else ' if n > 1 else ''}if (x == {n}) hard{n}(x);" for n in names]
    return _program([_hard(f"hard{n}", work) for n in names], body)


def sequence(loops: int, work: int = 2) -> str:
    names = range(1, loops + 1)
    return _program([_hard(f"hard{n}", work) for n in names], [f"hard{n}(__VERIFIER_nondet_int());" for n in names])


def chain(loops: int, work: int = 2) -> str:
    """Every loop may change what the one before has, alike for both of a pair; in the end they have to be equal."""
    pairs = range(work)
    body = [f"unsigned a{pair} = (unsigned)__VERIFIER_nondet_int(), b{pair} = a{pair};" for pair in pairs]
    for loop in range(1, loops + 1):
        body.append("while (__VERIFIER_nondet_int()) {")
        body += [f"  a{pair} = a{pair} * {2 * loop + 1}u; b{pair} = b{pair} + (b{pair} * {2 * loop}u);" for pair in pairs]
        body.append("}")
    body += [f"if (a{pair} != b{pair}) reach_error();" for pair in pairs]
    return _program([], body)


_DEVICE = """\
struct device_{n} {{ int state; unsigned count; int *buffer; struct device_{n} *peer; }};
struct operations_{n} {{
  int (*open)(struct device_{n} *);
  int (*work)(struct device_{n} *);
  void (*close)(struct device_{n} *);
}};
static int memory_{n}[4];
static struct device_{n} pair_{n}[2];
static int open_{n}(struct device_{n} *device) {{
  if (device->state != 0) return -1;
  device->state = 1;
  device->buffer = &memory_{n}[2];
  device->peer = &pair_{n}[1];
  return 0;
}}
static int work_{n}(struct device_{n} *device) {{
  if (device->state != 1) return -1;
  for (unsigned i = 0; i < 2; i++) device->buffer[i] += (int)i;
  if (device->peer != 0) device->peer->count++;
  return device->buffer[0];
}}
static void close_{n}(struct device_{n} *device) {{
  if (device->state != 1) reach_error();
  device->state = 0;
}}
static const struct operations_{n} table_{n} = {{open_{n}, work_{n}, close_{n}}};
static void drive_{n}(const struct operations_{n} *table, struct device_{n} *device) {{
  if (table->open(device) != 0) return;
  while (__VERIFIER_nondet_int()) if (table->work(device) < 0) break;
  table->close(device);
}}
"""


def devices(count: int, work: int = 2) -> str:
    """Drivers, each with a table of functions and pointers between its objects, which are driven one after the other."""
    body = [line for n in range(count) for line in [f"drive_{n}(&table_{n}, &pair_{n}[0]);"] * work]
    return _program([_DEVICE.format(n=n) for n in range(count)], body)


FAMILIES: dict[str, Callable[[int, int], str]] = {
    "unreachable": unreachable,
    "reachable": reachable,
    "sequence": sequence,
    "chain": chain,
    "devices": devices,
}


def program_of(name: str) -> str:
    """By a name like `sequence:8` or `sequence:8:3`: the family, its size, and the work per loop."""
    family, *numbers = name.split(":")
    if family not in FAMILIES or not 1 <= len(numbers) <= 2 or not all(each.isdecimal() and int(each) > 0 for each in numbers):
        raise ValueError(f"{name}: no family like {', '.join(f'{each}:8:2' for each in FAMILIES)}")
    size, work = [*map(int, numbers), 2][:2]
    return FAMILIES[family](size, work)
