"""What names and types mean: C types and their layout, initialisers, symbols, linking."""
