"""What libclang does not show, but the text of the source does: pragmas, assembly, literals; which words of it mean what."""
