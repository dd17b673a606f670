"""Thread-modular proofs: claims about pairs of threads, found by Houdini."""
