"""The lists of `frontend/source_text/vocabulary.py` and of the lowering know everything that the installed clang can hand over.

clang is asked itself: its library contains the spelling of every attribute and pragma, and of every word in it the preprocessor
says whether clang knows it; cursor, type and operator kinds come from the enumerations of its Python binding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import clang
import pytest
from clang import cindex

from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.kinds import BINARY_OPERATORS, UNARY_OPERATORS
from drystone.frontend.clang.nodes import Node, tree_of
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.declarations.attributes import plain
from drystone.frontend.load import FrontendError, FrontendOptions, load
from drystone.frontend.source_text import vocabulary

LISTED = vocabulary.HARMLESS | vocabulary.MODELLED | vocabulary.REFUSED
OTHER_NAMES = {"const"}  # `__const` is a keyword


@cache
def words() -> list[str]:
    """Everything in clang's library that looks like a name."""
    folder = Path(next(iter(clang.__path__))) / "native"
    content = next(folder.glob("libclang.*")).read_bytes()
    found = {word.decode() for word in re.findall(rb"[A-Za-z_][A-Za-z0-9_]{1,40}", content)}
    keywords = {"defined", "_Pragma", "__has_attribute", "__has_include", "__VA_ARGS__", "__VA_OPT__"}
    return sorted(word for word in found if not word.startswith("_Z") and word not in keywords)


def known(question: str) -> set[str]:
    """The words for which the preprocessor answers yes."""
    text = "".join(f"#if {question.format(word)}\nint known_{number};\n#endif\n" for number, word in enumerate(words()))
    arguments = ["-x", "c", "--target=x86_64-linux-gnu", "-std=c2x", "-Wno-everything", "-fdeclspec"]
    unit = TranslationUnit("probe.c", arguments, {"probe.c": text.encode()})
    names = [spelling(cursor) for cursor in unit.declarations()]
    unit.close()
    return {words()[int(name.removeprefix("known_"))] for name in names}


@pytest.mark.parametrize(
    "question",
    ["__has_attribute({})", "__has_c_attribute({})", "__has_c_attribute(gnu::{})", "__has_c_attribute(clang::{})"]
    + ["__has_declspec_attribute({})"],
)
def test_attributes(question: str) -> None:
    found = {plain(name) for name in known(question)}
    assert len(found) > 5 and {name.strip("_") for name in found} - LISTED - {name.strip("_") for name in LISTED} == set()


def test_an_attribute_is_on_one_list() -> None:
    assert not vocabulary.HARMLESS & vocabulary.MODELLED
    assert not vocabulary.HARMLESS & vocabulary.REFUSED
    assert not vocabulary.MODELLED & vocabulary.REFUSED


@pytest.mark.parametrize("scope", ["", "GCC ", "clang ", "STDC "])
def test_pragmas(scope: str) -> None:
    """Those of which clang does not say that it ignores them."""
    form = re.compile(r"[A-Z_]{2,30}" if scope == "STDC " else r"[a-z_]{2,22}")
    asked = [word for word in words() if form.fullmatch(word)]
    text = "".join(f"#pragma {scope}{word}\n" for word in asked)
    arguments = ["-x", "c", "--target=x86_64-linux-gnu", "-Wno-everything", "-Wunknown-pragmas", "-ferror-limit=0"]
    unit = TranslationUnit("probe.c", arguments, {"probe.c": text.encode()})
    ignored = {warning.line for warning in unit.diagnostics() if "unknown pragma" in warning.message}
    unit.close()
    lists = (vocabulary.HARMLESS_PRAGMAS, vocabulary.MODELLED_PRAGMAS, vocabulary.REFUSED_PRAGMAS)
    found = [scope + word for number, word in enumerate(asked, 1) if number not in ignored]
    assert len(found) > 2 and [pragma for pragma in found if not any(each.match(pragma) for each in lists)] == []


KINDS_OF_TYPES = """INVALID UNEXPOSED VOID BOOL CHAR_U UCHAR CHAR16 CHAR32 USHORT UINT ULONG ULONGLONG UINT128 CHAR_S SCHAR WCHAR SHORT
INT LONG LONGLONG INT128 FLOAT DOUBLE LONGDOUBLE NULLPTR OVERLOAD DEPENDENT FLOAT128 HALF IBM128 COMPLEX POINTER BLOCKPOINTER
LVALUEREFERENCE RVALUEREFERENCE RECORD ENUM TYPEDEF FUNCTIONNOPROTO FUNCTIONPROTO CONSTANTARRAY VECTOR INCOMPLETEARRAY VARIABLEARRAY
DEPENDENTSIZEDARRAY MEMBERPOINTER AUTO ELABORATED PIPE EXTVECTOR ATOMIC""".split()


def test_kinds_of_types() -> None:
    """A type of another kind than those that `Types` converts is `Unsupported`; a new kind has to be looked at."""
    names = {kind.name for kind in cindex.TypeKind._kinds if kind is not None}
    assert {name for name in names if not name.startswith(("OCL", "OBJC"))} == set(KINDS_OF_TYPES)


def test_operators() -> None:
    """clang numbers its operators; a number that is not in the table would be read as another one."""
    tested = "int a, b; void f(void) { "
    tested += " ".join(f"a {operator} b;" for operator in BINARY_OPERATORS[3:] if operator not in ("<=>", ""))
    tested += " a++; a--; ++a; --a; &a; *&a; +a; -a; ~a; !a; __real a; __imag a; __extension__ a; }"
    unit = TranslationUnit("probe.c", ["-x", "c", "-Wno-everything"], {"probe.c": tested.encode()})
    seen = [node.operator for declaration in unit.declarations() for node in nodes(tree_of(declaration)) if node.operator]
    unit.close()
    assert set(seen) == {*BINARY_OPERATORS[3:], *UNARY_OPERATORS[1:-1]} - {"<=>"}


def nodes(root: Node) -> Iterator[Node]:
    yield root
    for child in root.children:
        yield from nodes(child)


C_KINDS = """UNEXPOSED_DECL STRUCT_DECL UNION_DECL ENUM_DECL FIELD_DECL ENUM_CONSTANT_DECL FUNCTION_DECL VAR_DECL PARM_DECL TYPEDEF_DECL
TYPE_REF MEMBER_REF LABEL_REF UNEXPOSED_EXPR DECL_REF_EXPR MEMBER_REF_EXPR CALL_EXPR INTEGER_LITERAL FLOATING_LITERAL
IMAGINARY_LITERAL STRING_LITERAL CHARACTER_LITERAL PAREN_EXPR UNARY_OPERATOR ARRAY_SUBSCRIPT_EXPR BINARY_OPERATOR
COMPOUND_ASSIGNMENT_OPERATOR CONDITIONAL_OPERATOR CSTYLE_CAST_EXPR COMPOUND_LITERAL_EXPR INIT_LIST_EXPR ADDR_LABEL_EXPR StmtExpr
GENERIC_SELECTION_EXPR CXX_UNARY_EXPR UNEXPOSED_STMT LABEL_STMT COMPOUND_STMT CASE_STMT DEFAULT_STMT IF_STMT SWITCH_STMT WHILE_STMT
DO_STMT FOR_STMT GOTO_STMT INDIRECT_GOTO_STMT CONTINUE_STMT BREAK_STMT RETURN_STMT ASM_STMT NULL_STMT DECL_STMT TRANSLATION_UNIT
STATIC_ASSERT""".split()
"""The kinds of cursors that the front end reads. Expressions and statements of other kinds are unknown locations."""


def test_kinds_of_cursors() -> None:
    """Other languages have the rest; a new kind of declaration or attribute has to be looked at."""
    kinds = {kind.name: kind for kind in cindex.CursorKind.get_all_kinds()}
    assert set(C_KINDS) <= set(kinds)
    others = [kind for name, kind in kinds.items() if name not in C_KINDS and (kind.is_declaration() or kind.is_attribute())]
    languages: tuple[str, ...] = (
        "OBJC",
        "CXX",
        "IB_",
        "CUDA",
        "DLL",
        "TEMPLATE",
        "CLASS",
        "NAMESPACE",
        "USING",
        "FUNCTION_TEMPLATE",
        "TYPE_ALIAS",
    )
    languages += ("LINKAGE_SPEC", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION", "MODULE", "FRIEND", "CONCEPT", "OVERLOAD")
    rest = {kind.name for kind in others if not kind.name.startswith(languages)}
    assert rest == {
        *("UNEXPOSED_ATTR", "ANNOTATE_ATTR", "ASM_LABEL_ATTR", "PACKED_ATTR", "PURE_ATTR", "CONST_ATTR", "NODUPLICATE_ATTR"),
        *("VISIBILITY_ATTR", "CONVERGENT_ATTR", "WARN_UNUSED_ATTR", "WARN_UNUSED_RESULT_ATTR", "ALIGNED_ATTR"),
    }


def test_storage_classes_and_linkage() -> None:
    def names(enumeration: type) -> list[str]:
        return [each.name for each in enumeration._kinds if each is not None]  # type: ignore[attr-defined]

    classes = "INVALID NONE EXTERN STATIC PRIVATEEXTERN OPENCLWORKGROUPLOCAL AUTO REGISTER"
    assert names(cindex.StorageClass) == classes.split()
    assert names(cindex.LinkageKind) == ["INVALID", "NO_LINKAGE", "INTERNAL", "UNIQUE_EXTERNAL", "EXTERNAL"]
    assert names(cindex.TLSKind) == ["NONE", "DYNAMIC", "STATIC"]


@pytest.mark.parametrize("name", sorted(vocabulary.REFUSED_OF_GCC - {"model", "persistent", "noinit"}))
def test_an_attribute_that_only_gcc_knows(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"int f(void) __attribute__(({name})); int main(void) {{ return 0; }}\n")
    try:
        refused = load([str(file)], FrontendOptions()).unsupported
    except FrontendError:
        return
    assert any(name in each.what for each in refused)


def test_conditions_on_the_implementation_are_named(tmp_path: Path) -> None:
    lines = ["#ifndef _MINE_H", "#define _MINE_H", "#endif", "#if defined(__x86_64__) || \\", " defined __GNUC__", "#endif"]
    lines += [
        "#ifdef __linux__",
        "#elif __has_include(<complex.h>)",
        "#elif NDEBUG",
        "#endif",
        "int main(void) { return 0; }",
        "",
    ]
    file = tmp_path / "program.c"
    file.write_text("\n".join(lines))
    found = load([str(file)], FrontendOptions()).program.approximations
    named = [(each.what.split()[0], each.origin.line) for each in found if each.kind == "preprocessor"]
    assert named == [("__GNUC__", 4), ("__has_include", 8)]


@pytest.mark.parametrize(
    ("arguments", "is_plain"),
    [('("avx2,bmi")', True), ('"sse4.1", "tune=native"', True), ('("fma")', False), ('("avx2", "fma")', False)]
    + [('("no-sse2")', False), ('("arch=haswell")', False), ('("avx512f")', False), ("(ARGUMENT)", False), ('("f" "ma")', False)]
    + [("", False), ('("fpmath=387")', False), ('("avx2,")', False)],
)
def test_targets(arguments: str, is_plain: bool) -> None:
    assert vocabulary.is_plain_target(arguments) == vocabulary.is_harmless_pragma(f"GCC target {arguments}") == is_plain


@pytest.mark.parametrize(
    ("arguments", "is_plain"),
    [('("O2")', True), ("(3)", True), ('"-O0"', True), ('("O3,unroll-loops")', True), ('("Os", "no-tree-vectorize")', True)]
    + [('("Ofast")', False), ('("O2", "fast-math")', False), ('("single-precision-constant")', False), ("(LEVEL)", False)]
    + [('("O" "fast")', False), ('("-ffp-contract=fast")', False), ('("wrapv")', False)],
)
def test_optimisations(arguments: str, is_plain: bool) -> None:
    assert vocabulary.is_plain_optimisation(arguments) == vocabulary.is_harmless_pragma(f"GCC optimize {arguments}") == is_plain
