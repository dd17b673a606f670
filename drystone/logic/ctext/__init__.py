"""The parts of `logic/cprinting.py`, by the sorts of terms."""
