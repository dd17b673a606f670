"""libclang through ctypes: parse a file, walk its syntax tree, ask about types, places and texts."""
