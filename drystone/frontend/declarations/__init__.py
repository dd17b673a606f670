"""What names and types mean: C types and their layout, attributes, initialisers, symbols, linking."""
