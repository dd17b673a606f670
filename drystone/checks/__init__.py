"""What else an error is, beside calls, assertions and labels: operations whose result C leaves undefined for their operands."""
