"""Distributed configurable program analysis (Kettl 2022): forwards and backwards, without abstraction."""
