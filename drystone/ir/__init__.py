"""The intermediate program: expressions, operations, automata, and their forms as text, JSON and drawings."""
