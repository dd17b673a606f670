"""Distributed summary synthesis: every block is verified by itself, held by what its neighbours tell it.

Kettl 2022; Beyer, Kettl, Lemberger 2024; the bibliography is docs/papers.md.

messages      what blocks tell each other
preparation   from a program to blocks with their transformers
lemmas        summaries as lemmas, one obligation at a time, property-directed
coordinator   routes messages, raises levels, sees the end
predicates    summaries as postconditions over predicates (with abstraction, violations, queries)
scheduling    wakes the blocks of `predicates` up
operators     packing and unpacking, and what operators cost
options       what can be chosen
registry      the kinds of summaries by their names; what each of them says about itself: domain
hosts         where blocks live, by protocol; in this process; blocks as bytes: packed_specs
setting       where blocks live, and who writes down what they do
engine        from the command line's settings to a verdict
journal       what was sent and delivered, for recordings, figures and explanations
recording     a run as a file
replay        a recorded run once more, block by block
readable      messages as lines for people
explanation   what each block did
"""
