"""No FALSE rests on a value that the compiled program does not compute, and no TRUE on one that it need not.

Undefined operations, assembly, addresses of frames: what gcc makes of a program decides. Where gcc is there, each condition is
also asked of the compiled program.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from drystone.frontend.errors import NotSupported
from drystone.frontend.source_text.assembly import Assembly
from tests.gcc.compiler import build, missing, run
from tests.inside import decided

DATA_MODELS = ("LP64", "ILP32")
HEAD = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
typedef signed char s8; typedef unsigned char u8; typedef short s16; typedef unsigned short u16; typedef int s32;
typedef unsigned u32; typedef long long s64; typedef unsigned long long u64;
struct fields { unsigned a : 5; int b : 7; } f; int g, table[4]; void *p;
int same(int x) { return x; }
"""
TYPES = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")


def program(folder: Path, statements: str) -> Path:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ int c = __VERIFIER_nondet_int(); {statements} return 0; }}\n")
    return file


def shifts() -> list[str]:
    """The same oversize shift, computed twice."""
    far = {"s64": 70, "u64": 64}
    conditions = []
    for type_, operator, form in product(TYPES, ("<<", ">>"), range(4)):
        distance = far.get(type_, 40)
        made = [
            f"(x {operator} n) != (x {operator} n)",
            f"same(x {operator} n) != same(x {operator} n)",
            f"(f.a = x {operator} n, f.a) != (f.a = x {operator} n)",
            f"(table[c & 3] = x {operator} n) != (int)(x {operator} n)",
        ][form]
        conditions.append(f"{{ {type_} x = ({type_})(c | 1); int n = {distance}; if ({made}) reach_error(); }}")
    return conditions


def quotients() -> list[str]:
    """A division that traps gives nothing that could be compared."""
    made = []
    for type_, operator, form in product(TYPES, "/%", range(4)):
        quotient = f"(x {operator} z)"
        made.append(
            [
                f"int r = {quotient}; if (r == r) reach_error();",
                f"g = {quotient}; if (z == 0) reach_error();",
                f"if (same({quotient}) != 5 || c) reach_error();",
                f"int r = c && same({quotient}) ? 1 : same({quotient}); if (r == r) reach_error();",
            ][form].join((f"{{ {type_} x = ({type_})(c | 2), z = 0; ", "}"))
        )
    return made


def conversions() -> list[str]:
    made = []
    for source, target, value, form in product(("float", "double", "long double"), TYPES, ("1e25", "-7e10"), range(2)):
        condition = [f"({target})x != ({target})x", f"same(({target})x) != same(({target})x)"][form]
        made.append(f"{{ {source} x = {value}; if ({condition}) reach_error(); }}")
    return made


@pytest.mark.parametrize("data_model", DATA_MODELS)
@pytest.mark.parametrize("kind", [shifts, conversions], ids=lambda kind: kind.__name__)
def test_the_same_operation_gives_the_same(kind: object, data_model: str, tmp_path: Path) -> None:
    statements = kind()  # type: ignore[operator]
    assert len(statements) >= 60
    found = decided(program(tmp_path, "\n".join(statements)), data_model)
    assert found.verdict == "TRUE", found.reason
    assert "if undefined operations give what gcc's code gives" in found.reason
    assert any(each.kind == "undefined operation" for each in found.assumptions)


@pytest.mark.parametrize("data_model", DATA_MODELS)
def test_a_division_that_traps_ends_the_execution(data_model: str, tmp_path: Path) -> None:
    """All in one program, each in its turn: none may be passed."""
    statements = quotients()
    assert len(statements) >= 60
    cases = "\n".join(f"case {number}: {text} break;" for number, text in enumerate(statements))
    found = decided(program(tmp_path, f"switch (__VERIFIER_nondet_int()) {{ {cases} }}"), data_model)
    assert found.verdict == "TRUE", found.reason


# What the compiled program computes, asked both ways: that it is so, and that it is not.

ASSEMBLY = {
    "an address by lea": 'int *q = 0; asm("lea %1, %0" : "=r"(q) : "m"(x)); *q = 3; r = x;',
    "a line that is escaped": 'int *p = &x; asm volatile("nop\\x0amovl $1, (%0)" :: "r"(p) : "memory"); r = x;',
    "beyond an operand": 'int a[2] = {1, 2}; asm volatile("movl $7, 4%0" :: "m"(a[0]) : "memory"); r = a[1];',
    "a pointer from a structure": 'struct { int *p; } s = {&x}; int *q; asm("mov %1, %0" : "=r"(q) : "m"(s)); *q = 3; r = x;',
    "an address as a number": 'long a = (long)&x; asm volatile("movl $1, (%0)" :: "r"(a) : "memory"); r = x;',
    "a pointer in a structure": 'struct { int *p; } s = {&x}; asm volatile("movq %0, %%rax\\n movl $3, (%%rax)" :: "m"(s) : "memory", "rax"); r = x;',
    "an array": 'int a[2] = {1, 2}; asm("movl $7, 4%0" : "+m"(a)); r = a[1];',
    "nothing": 'asm("" : "+r"(x)); r = x;',
    "a comment": 'asm("# nothing" : "+r"(x)); r = x;',
    "a barrier": 'g = 4; asm volatile("" ::: "memory"); r = g;',
    "a barrier that gets a pointer": 'asm volatile("" :: "r"(&x) : "memory"); r = x;',
    "a matched operand": 'asm("" : "=r"(r) : "0"(7));',
    "a matched name": 'asm("" : [out] "=r"(r) : "[out]"(x + 1));',
    "a narrow matched operand": 'asm("" : "=r"(r) : "0"((signed char)x));',
    "exchanged operands": 'int y = 9; asm("" : "=r"(x), "=r"(y) : "0"(y), "1"(x)); r = x * 10 + y;',
    "a kept float": 'double d = x; asm("" : "+x"(d)); r = d;',
    "a kept bit-field": 'f.b = 5; asm("" : "+r"(f.b)); r = f.b;',
    "a constant": 'asm("movl $5, %0" : "=r"(r));',
    "a constant by name": 'asm volatile("movl $6, %[out]" : [out] "=r"(r));',
    "a sum": 'asm("movl %1, %0\\n\\taddl %2, %0" : "=&r"(r) : "r"(x), "r"(4) : "cc");',
    "pieces of text": 'asm("movl $7, "\n"%0\\n\\t" "nop" : "=r"(r));',
    "a macro": '\n#define ASM(text, out) __asm__ __volatile__(text : out)\n ASM("movl $8, %0", "=r"(r));',
    "a place in memory": 'asm("incl %0" : "+m"(x)); r = x;',
    "a place that is written": 'asm("movl $3, %0" : "=m"(table[1])); r = table[1];',
    "a place behind a pointer": 'int *q = &x; asm("movl $3, %0" : "=r"(*q)); r = x;',
    "a place with a side effect": 'int i = 1; asm("movl $4, %0" : "=r"(table[i++])); r = table[1] * 10 + i;',
    "a bit-field": 'asm("movb $2, %b0" : "=r"(f.b)); r = f.b;',
    "an operand with a side effect": 'int i = 1; asm("movl %1, %0" : "=r"(r) : "r"(i++)); r += i;',
    "a place that is not among the outputs": 'asm volatile("movl $9, %0" :: "m"(x) : "memory"); r = x;',
    "memory behind a pointer": 'asm volatile("movl $9, (%0)" :: "r"(&x) : "memory"); r = x;',
    "memory behind a number": 'asm volatile("movl $9, (%0)" :: "r"((unsigned long)&x) : "memory"); r = x;',
    "a filled string": 'char b[4] = {0}; void *q = b; unsigned long n = 3;\n'
    'asm volatile("rep stosb" : "+D"(q), "+c"(n) : "a"(1) : "memory"); r = b[2];',
    "a filled string without a clobber": 'char b[4] = {0}; void *q = b; unsigned long n = 3;\n'
    'asm volatile("rep; stosb" : "+D"(q), "+c"(n) : "a"(1)); r = b[2];',
    "an object by its name": 'asm volatile("movl $5, g"); r = g;',
    "instructions as numbers": 'asm volatile(".byte 0x90" ::: "memory"); r = x;',
    "one of two dialects": 'asm volatile("{nop|nop}" ::: "memory"); r = x;',
    "an object by its name, as an operand": 'asm volatile("movl $5, %c0" :: "i"(&g) : "memory"); r = g;',
    "a function by its name": 'asm volatile("call set" ::: "memory", "eax", "cc"); r = g;',
    "a register of a variable": 'register int v asm("ebx") = 5; asm("incl %ebx"); r = v;',
    "a jump inside": 'asm("jmp 1f\\n\\tmovl $1, %0\\n1:" : "+r"(x)); r = x;',
    "two exchanged places": 'int y = 9; asm("xchgl %0, %1" : "+r"(x), "+m"(y)); r = x * 10 + y;',
    "harmless instructions": 'g = 3; asm volatile("nop; pause\\n\\tlfence" ::: "memory"); r = g;',
    "a jump out": 'asm goto("jmp %l0" :::: out); r = 5; goto end; out: r = 6; end:;',
    "a processor's answer": 'unsigned a = 0, b, c2 = 0, d; asm("cpuid" : "+a"(a), "=b"(b), "+c"(c2), "=d"(d)); r = a < 1000;',
    "a rounding mode": 'unsigned m = 0x7f80; asm volatile("ldmxcsr %0" :: "m"(m)); volatile double d = 1, e = 3; r = d / e * 3 == 1;',
}  # fmt: skip


@pytest.mark.parametrize("template", ["movl $7, o$x(%rip)", "movl $o$x, %0", "movl $g, %0", "movl g, %0", "movl $g+4, %0"])
def test_assembly_that_names_objects(template: str) -> None:
    """Also by names with a dollar, and the address as a number."""
    with pytest.raises(NotSupported, match="asm that names"):
        Assembly(template).check({"o$x", "g"}.__contains__, lambda _: False)


BUILTINS = {
    "a constant": "r = __builtin_constant_p(5) + 2 * __builtin_constant_p(\"abc\");",
    "a variable": "const int k = 5; r = __builtin_constant_p(x) + 2 * __builtin_constant_p(k) + 4 * __builtin_constant_p(\"abc\"[1]);",
    "what gcc folds": "r = __builtin_constant_p(x * 0) + 2 * __builtin_constant_p(x && 0) + 4 * __builtin_constant_p(x - x);",
    "the operand is not evaluated": "r = __builtin_constant_p(x++) + x;",
    "the same return address": "r = __builtin_return_address(0) == __builtin_return_address(0);",
    "the same frame": "r = __builtin_frame_address(0) == __builtin_frame_address(0);",
    "a frame is somewhere": "r = __builtin_frame_address(0) != 0;",
    "an operand with a side effect": "p = __builtin_extract_return_addr((void *)(long)(x++)); r = x;",
    "a function of the processor": "r = __builtin_cpu_supports(\"sse2\") != 0;",
    "no leading zeros": "r = __builtin_clz(x - x + 1) * 100 + __builtin_ctz(8);",
    "leading zeros of zero": "int z = x - 3; r = __builtin_clz(z) * 100 + __builtin_ctzll(z);",
    "the same leading zeros of zero": "int z = x - 3; r = __builtin_clz(z) == __builtin_clz(z);",
    "a missing argument": "r = ((int (*)())same)() == ((int (*)())same)();",
}  # fmt: skip
UNDEFINED = {
    "0 / x": "int z = x - 3; r = 0 / z;", "x / x": "int z = x - 3; r = z / z + 2;", "x % x": "int z = x - 3; r = z % z + 2;",
    "a mask": "int n = 32; r = (1 << n) & 1;", "a folded mask": "int n = 32; r = ((1 << n) & 1) != 0;",
    "constants": "r = (1 << 40) + (int)1e20;", "shifted back": "int n = 33; r = x << n >> n;",
    "a folded shift": "r = 2 * x << 31 << 1;", "a product with zero": "int z = x - 3; r = 0 * (x / z);",
    "an unused quotient": "int z = x - 3; (void)(x / z); r = 4;", "an unused operand": "int z = x - 3; (void)(same(x) + x / z); r = 4;",
    "the same quotient": "int z = x - 3; r = x / z == x / z;", "a sure disjunction": "int z = x - 3; r = x / z || 1;",
    "a difference": "int z = x - 3; r = 2 + (x / z - x / z);", "a sum": "int z = x - 3; r = 5 + x / z;",
    "a comma": "int z = x - 3; r = (x / z, 4);", "not evaluated": "int z = x - 3; r = z ? x / z : 4;", "not reached": "int z = x - 3; r = z && x / z;",
    "wraps": "int m = -2147483647 - 1; r = m / -1 == m;", "a compound shift": "int n = 35; x <<= n; r = x;",
    "a narrow compound shift": "unsigned char b = 200; int n = 33; b <<= n; r = b;", "a float": "double d = 3e9; r = (int)d;",
    "a narrow float": "double d = 300; r = (unsigned char)d;", "an assigned float": "float d = -1; unsigned u = d; r = u == 4294967295u;",
    "a float bit-field": "double d = 70; f.a = d; r = f.a;", "a constant float": "r = (unsigned char)300.0;",
}  # fmt: skip
SET = "void set(void) { g = 5; }\n"


@pytest.fixture(scope="module")
def natively(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each of the programs prints."""
    if reason := missing("LP64"):
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("native")
    text = (
        "#include <stdio.h>\n#include <stdlib.h>\nint __VERIFIER_nondet_int(void) { return 3; }\nvoid reach_error(void) {}\n"
        + HEAD
        + SET
    )
    for number, case in enumerate(CASES):
        text += f"int case{number}(void) {{ int x = 3, r = 0; {TEXTS[case]}\nreturn r; }}\n"
    calls = "\n".join(f"case {number}: r = case{number}(); break;" for number in range(len(CASES)))
    text += f'int main(int argc, char **argv) {{ int r; switch (atoi(argv[1])) {{ {calls} }} printf("%d", r); return 0; }}\n'
    (folder / "native.c").write_text(text)
    build([folder / "native.c"], folder / "native", "LP64", flags=["-no-pie"])
    return {case: run(folder / "native", [str(number)]).output for number, case in enumerate(CASES)}


TEXTS = {
    f"{kind}: {name}": text
    for kind, table in (("assembly", ASSEMBLY), ("builtin", BUILTINS), ("undefined", UNDEFINED))
    for name, text in table.items()
}
CASES = list(TEXTS)


@pytest.mark.parametrize("case", CASES)
def test_as_compiled(case: str, natively: dict[str, str], tmp_path: Path) -> None:
    result, file = natively[case], tmp_path / "program.c"
    for condition, wrong in ((f"r != {result or 0}", "FALSE"), (f"r == {result or 0}", "TRUE" if result else "FALSE")):
        file.write_text(
            f"{HEAD}{SET}int main(void) {{ int x = 3, r = 0; {TEXTS[case]}\nif ({condition}) reach_error(); return 0; }}\n"
        )
        found = decided(file)  # no result: a trap ends the program
        assert found.verdict != wrong, found.reason


# The search goes on

GOES_ON = {
    "assembly": ("", 'asm("movl $5, %0" : "=r"(x)); fail_if(x == 6);'),
    "a library function": ("#include <math.h>\n", "fail_if(exp(x) < 0.5 * x);"),
    "a frame": ("", "fail_if(__builtin_frame_address(0) == (void *)0x1234);"),
    "an undefined operation": ("", "int n = 40; fail_if((x << n) != (x << n));"),
}


@pytest.mark.parametrize("kind", GOES_ON)
def test_another_execution_is_found(kind: str, tmp_path: Path) -> None:
    head, text = GOES_ON[kind]
    file = tmp_path / "program.c"
    for other, right in (("c == 12345", "FALSE"), ("c == 12345 && c == 5", "UNKNOWN")):
        file.write_text(
            f"{head}{HEAD}void fail_if(int b) {{ if (b) reach_error(); }}\n"
            f"int main(void) {{ int c = __VERIFIER_nondet_int(), x = 3; if (c < 0) {{ {text} }} else fail_if({other}); return 0; }}\n"
        )
        found = decided(file)
        is_proved = kind == "an undefined operation" and right == "UNKNOWN"  # in the other reading
        assert found.verdict == ("TRUE" if is_proved else right), found.reason
        if found.verdict == "FALSE":
            assert found.evidence.counterexample is not None
            assert [each.value for each in found.evidence.counterexample.inputs] == ["12345"]
        elif not is_proved:
            assert found.cause == "approximation" and ".c:" in found.reason


# A native run has nothing that it is not to have


def test_the_harness_gives_no_approximated_value(tmp_path: Path) -> None:
    """Each kind of approximated input, in one execution: none is in the text of the harness."""
    from drystone.concrete.interpreter import Interpreter
    from drystone.counterexamples.native.harness import harness_text, recorded, words_of
    from drystone.frontend.load import FrontendOptions, load
    from drystone.ir.expressions import is_approximated

    class Sevens:
        def value(self, input: object, edge: object) -> int:
            return 0x777

        def block(self, size: int, what: str, edge: object) -> bytes:
            return bytes(size)

    file = tmp_path / "program.c"
    file.write_text(
        f'#include <math.h>\n#include <stdio.h>\n{HEAD}int main(void) {{ int x, y, z = 0; asm("nop" : "=r"(x));\n'
        'y = __builtin_frame_address(0) == p; char s[] = "5"; sscanf(s, "%d", &z); double d = sin(x); y = __builtin_constant_p(x - x);\n'
        "reach_error(); return 0; }\n"
    )
    program = load([str(file)], FrontendOptions()).program
    outcome = Interpreter(program).run(Sevens())
    names = {entry.name for entry in outcome.inputs if is_approximated(entry)}
    assert len(names) >= 5 and outcome.kind == "error"
    found = recorded(program, outcome.inputs, [0])
    assert not found.functions and not found.arguments
    text = harness_text(
        entry="main", error=next(iter(program.procedures["main"].marks.values())), found=found, undefined=[], void=[],
        words=words_of(FrontendOptions()), command="",
    )  # fmt: skip
    assert "777" not in text


def test_a_stub_of_a_library_function_shows_nothing(tmp_path: Path) -> None:
    """`strlcpy` has no meaning in some libraries: a stub that returns zero would confirm what it was asked for."""
    from drystone.counterexamples.native.build import Build
    from drystone.frontend.library.models import has_meaning

    assert has_meaning("sin") and has_meaning("__builtin_memcpy") and has_meaning("strlen")
    assert not has_meaning("reach_error") and not has_meaning("__VERIFIER_nondet_int") and not has_meaning("outside")
    if reason := missing("LP64"):
        pytest.skip(reason)
    file = tmp_path / "program.c"
    file.write_text(f"#include <math.h>\n{HEAD}int main(void) {{ if (exp(1.0) < 1) reach_error(); return 0; }}\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Build, "missing", lambda build, objects: ["exp"])
        assert decided(file).verdict == "UNKNOWN"


# A proof that needs the machine says so, and its certificate, too


def test_a_certificate_says_what_undefined_operations_give(tmp_path: Path) -> None:
    import subprocess
    import sys

    from tests.places import ROOT
    from tests.running import verify

    file, certificate = tmp_path / "program.c", tmp_path / "certificate.json"
    file.write_text(
        f"{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(), n = 40; if ((x << n) != (x << n)) reach_error(); return 0; }}\n"
    )
    done = verify(file, "--engine", "bmc", "--certificate", certificate)
    assert done.returncode == 0 and "assumes undefined operation: x << n: what gcc's code gives" in done.stdout, done.stdout

    def check(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "drystone", "check", str(certificate), str(file), "--check", "none", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)

    refused, accepted = check(), check("--undefined", "machine")
    assert refused.returncode not in (0, 1) and "add --undefined machine" in refused.stderr
    assert accepted.returncode == 0 and "undefined operation: x << n: what gcc's code gives" in accepted.stdout, accepted.stdout
    certificate.write_text(certificate.read_text().replace('"undefined": "machine"', '"undefined": "any"'))
    assert check().returncode == 2


def test_a_name_of_the_library_is_what_the_compiler_makes_of_it(tmp_path: Path) -> None:
    """gcc computes abs itself, whatever the program defines under that name."""
    if reason := missing():
        pytest.skip(reason)
    file = tmp_path / "program.c"
    file.write_text(
        "extern void reach_error(void);\nint abs(int x) { return x + 1; }\nint main(void) { if (abs(3) == 4) reach_error(); }\n"
    )
    found = decided(file)
    assert found.verdict == "UNKNOWN" and "a name of the C library" in found.reason


PORT = 'int a[4] = {1, 2, 3, 4}; void *p = &a[1]; unsigned long n = 2; asm volatile("rep; insl" : "+D"(p), "+c"(n) : "d"(c)); '
PORTS = {
    "what is left": (PORT + "if (n != 0 || p != &a[3]) reach_error();", "TRUE"),
    "what is not written": (PORT + "if (a[0] != 1 || a[3] != 4) reach_error();", "TRUE"),
    "what is written": (PORT + "if (a[1] != 2) reach_error();", "FALSE"),
    "what is written last": (PORT + "if (a[2] == 77) reach_error();", "FALSE"),
    "one unit": (
        'char b[3] = {0}; void *p = &b[1]; asm volatile("insb" : "+D"(p) : "Nd"(c) : "memory"); '
        "if (b[0] || b[2] || p != b + 2) reach_error();",
        "TRUE",
    ),
    "nothing": (PORT.replace("n = 2", "n = 0") + "if (a[1] != 2 || p != &a[1]) reach_error();", "TRUE"),
    "a count in a part of the register": (PORT.replace("unsigned long n", "int n") + "if (a[0] != 1) reach_error();", "UNKNOWN"),
    "another operand": (PORT.replace('"d"(c)', '"d"(c), "r"(a)') + "if (a[0] != 1) reach_error();", "UNKNOWN"),
    "another instruction": (PORT.replace("insl", "insl; insl") + "if (a[0] != 1) reach_error();", "UNKNOWN"),
}


@pytest.mark.parametrize("name", PORTS)
def test_what_a_port_gives_is_written_and_nothing_else(name: str, tmp_path: Path) -> None:
    text, expected = PORTS[name]
    assert decided(program(tmp_path, text), "LP64").verdict == expected
