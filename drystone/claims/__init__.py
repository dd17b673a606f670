"""What is claimed about a program: verdicts, the property, certificates."""
