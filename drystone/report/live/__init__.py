"""The report of a run while it goes on, in the browser of whoever started it."""
