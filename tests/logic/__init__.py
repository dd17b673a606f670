"""Tests of terms: rewriting, substitution, evaluation, packing, printing."""
