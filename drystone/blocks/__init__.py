"""Programs cut into blocks: block graphs, decompositions, merging."""
