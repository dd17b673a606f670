"""Distributed summary synthesis: every block is verified by itself, held by what its neighbours tell it.

Kettl 2022; Beyer, Kettl, Lemberger 2024; the bibliography is docs/papers.md.

analysis        what a domain says to take part, and the algorithm that every domain runs under
messages        what blocks tell each other; operators: packing, and what each operator costs
queries         a block's questions to its solver
domain          what a kind of summaries says about itself; registry: those that there are, by their names
postconditions/ summaries as postconditions and violation conditions, whatever domain the postconditions are of
predicates/     postconditions over predicates, refined by refutations and interpolants
lemmas/         summaries as lemmas, one obligation at a time, property-directed
preparation     from a program to blocks with their transformers
coordinator     all messages pass it: it knows which are on their way, and when all is quiet
hosts           where blocks live; packed_specs: blocks as bytes, for hosts elsewhere
records/        a run as a file, its journal, its trace
options         what can be chosen; setting: where blocks live, and who writes down what they do
engine          from the command line's settings to a verdict
explanation     what blocks did, in lines for people; readable: their messages
repetition      a recorded run once more, block by block
"""
