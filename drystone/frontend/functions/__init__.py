"""One function as an automaton: its parameters, declarations, statements, jumps, calls and asm statements."""
