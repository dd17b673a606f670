"""Tests of blocks, decompositions and block graphs."""
