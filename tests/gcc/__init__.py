"""Tests that compare the front end and the interpreter with gcc (design section 9, number 1)."""
