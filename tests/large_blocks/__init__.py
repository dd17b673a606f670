"""Large-block encoding: Mertens 2014, chapters 3 and 4."""
