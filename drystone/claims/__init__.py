"""What is claimed about a program, and by whom it can be checked."""
