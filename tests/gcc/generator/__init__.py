"""Random C programs without undefined behaviour; `tests.gcc.generate` is the entrance."""
