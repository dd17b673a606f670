"""Tests that compare the front end and the interpreter with gcc."""
