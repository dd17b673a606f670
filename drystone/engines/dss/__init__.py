"""Distributed summary synthesis: every block is verified by itself, held by what its neighbours tell it (papers 1 and 2).

messages      what blocks tell each other
preparation   from a program to blocks with their transformers
lemmas        summaries as lemmas, one obligation at a time, property-directed
coordinator   routes messages, raises levels, sees the end
engine        from the command line's settings to a verdict
"""
