"""Executions on given values: inputs, memory as bytes, the interpreter."""
