"""Thread-modular proofs, for any number of threads: what a claim about pairs of threads is, and what has to be shown of it."""
