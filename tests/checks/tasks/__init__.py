"""Tasks of our own in SV-COMP's format: no-overflow, valid-memsafety, valid-memcleanup; half of them have a violation."""
