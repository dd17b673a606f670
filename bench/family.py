"""A family of C programs of any length, for measuring how cost grows with size.

Every program is a sequence of the same fifty-line unit under different names: a struct, a table, functions with
loops, branches, a switch, pointers into arrays and structs. Each unit calls the one before it, and main calls
the last, so everything is reached and a program of twice the lines is twice as much of the same.
"""

from __future__ import annotations

_HEAD = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int enter_0(int x) {
  return x;
}
"""

_UNIT = """\
struct record_{n} {{
  int key;
  unsigned flags : 5;
  short marks[4];
  struct record_{n} *next;
}};
static int table_{n}[8] = {{1, 2, 3, 5, 8, 13, 21, {n}}};
static struct record_{n} store_{n}[3];
static int sum_{n}(int *from, int count) {{
  int sum = 0;
  for (int i = 0; i < count; i++) {{
    if (from[i] % 2 == 0)
      sum += from[i];
    else
      sum -= from[i] / 2;
  }}
  return sum;
}}
static void fill_{n}(struct record_{n} *record, int key) {{
  record->key = key;
  record->flags = (unsigned)key & 31u;
  for (int i = 0; i < 4; i++)
    record->marks[i] = (short)(key + i);
  record->next = 0;
}}
static int choose_{n}(int x) {{
  switch (x & 7) {{
  case 0:
    return table_{n}[1];
  case 1:
  case 2:
    x += 3;
    break;
  default:
    x = x > 100 ? x - 100 : x * 2;
  }}
  return x;
}}
int enter_{n}(int x) {{
  struct record_{n} *list = 0;
  for (int i = 0; i < 3; i++) {{
    fill_{n}(&store_{n}[i], x + i);
    store_{n}[i].next = list;
    list = &store_{n}[i];
  }}
  while (list != 0 && list->key > 0)
    list = list->next;
  if (sum_{n}(table_{n}, 8) == x)
    reach_error();
  return enter_{before}(choose_{n}(x));
}}
"""

_TAIL = """\
int main(void) {{
  return enter_{last}(__VERIFIER_nondet_int());
}}
"""


def program_of(lines: int) -> str:
    """A C program of about so many lines (to within one unit), at least one unit long."""
    units = max(1, lines // _UNIT.count("\n"))
    parts = [_HEAD]
    parts += [_UNIT.format(n=number, before=number - 1) for number in range(1, units + 1)]
    parts.append(_TAIL.format(last=units))
    return "".join(parts)
