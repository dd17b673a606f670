"""The report: one HTML file about one run, that needs nothing else to be read."""
