"""Tests of distributed summary synthesis."""
