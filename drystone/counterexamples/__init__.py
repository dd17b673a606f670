"""Executions that reach the error: replayed, followed, told step by step."""
