"""Executions on terms: states, memory as arrays, transformers between cut points, unrollings."""
