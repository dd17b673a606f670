"""Tests of the solvers against each other and against `evaluate`."""
