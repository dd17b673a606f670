"""The kinds of cursors that the front end distinguishes (libclang 18, Index.h), and the operators by their numbers."""

STRUCT_DECL, UNION_DECL, ENUM_DECL, FIELD_DECL, ENUM_CONSTANT, FUNCTION_DECL, VAR_DECL, PARM_DECL = 2, 3, 5, 6, 7, 8, 9, 10
TYPEDEF_DECL = 20
TYPE_REF, MEMBER_REF, LABEL_REF = 43, 47, 48
EXPR_FIRST = 100
UNEXPOSED_EXPR, DECL_REF_EXPR, MEMBER_REF_EXPR, CALL_EXPR = 100, 101, 102, 103
INTEGER_LITERAL, FLOATING_LITERAL, IMAGINARY_LITERAL, STRING_LITERAL, CHARACTER_LITERAL = 106, 107, 108, 109, 110
PAREN_EXPR, UNARY_OPERATOR, ARRAY_SUBSCRIPT, BINARY_OPERATOR, COMPOUND_ASSIGN = 111, 112, 113, 114, 115
CONDITIONAL, CAST_EXPR, COMPOUND_LITERAL, INIT_LIST, ADDR_LABEL, STMT_EXPR, GENERIC = 116, 117, 118, 119, 120, 121, 122
SIZEOF_EXPR = 136
LABEL_STMT, COMPOUND_STMT, CASE_STMT, DEFAULT_STMT, IF_STMT, SWITCH_STMT = 201, 202, 203, 204, 205, 206
WHILE_STMT, DO_STMT, FOR_STMT, GOTO_STMT, INDIRECT_GOTO, CONTINUE_STMT, BREAK_STMT, RETURN_STMT = (
    207,
    208,
    209,
    210,
    211,
    212,
    213,
    214,
)
ASM_STMT, NULL_STMT, DECL_STMT = 215, 230, 231
UNEXPOSED_STMT = 200
STATIC_ASSERT = 602
ATTR_FIRST, ATTR_LAST = 400, 499
ASM_LABEL_ATTR, ALIGNED_ATTR = 407, 441
UNEXPOSED_DECL = 1
EXPR_LAST = 199

UNARY_OPERATORS = [
    "",
    "post++",
    "post--",
    "++",
    "--",
    "&",
    "*",
    "+",
    "-",
    "~",
    "!",
    "__real",
    "__imag",
    "__extension__",
    "co_await",
]
BINARY_OPERATORS = [
    "",
    ".*",
    "->*",
    "*",
    "/",
    "%",
    "+",
    "-",
    "<<",
    ">>",
    "<=>",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&",
    "^",
    "|",
    "&&",
    "||",
    "=",
]
BINARY_OPERATORS += ["*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","]

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
TRUTH_VALUES = COMPARISONS | {"&&", "||"}
STEPS = frozenset(("++", "--", "post++", "post--"))
