"""Who tells which block what, and where blocks live."""
