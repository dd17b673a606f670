"""What libclang does not show, but the text of the source or clang's print does: attributes, pragmas, assembly, literals."""
