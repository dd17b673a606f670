"""Tests of hosts, and of what is measured about them."""
