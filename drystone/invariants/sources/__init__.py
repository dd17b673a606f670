"""Where candidate invariants come from: one module for each kind."""
