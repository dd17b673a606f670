"""Predictable distribution: workers grow one abstract reachability tree (Lopes, Rybalchenko 2011)."""
