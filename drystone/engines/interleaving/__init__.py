"""Abstract reachability over the interleavings of threads, with reductions (Telbisz 2023).

`turns` is the product of the threads cut where the schedule chooses; `data_flow` says which statements of a turn nobody observes,
`persistent` which threads may be left out; `domains` are the abstractions; `reachability` is the search with one precision,
`refinement` makes the next one, and `engine` goes from one to the other until there is a verdict.

The reductions only find a precision: a proof is the reached set of the search without them, as invariants of the product.
"""
