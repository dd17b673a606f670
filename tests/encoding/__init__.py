"""Large-block encoding: paper 5, chapters 3 and 4."""
