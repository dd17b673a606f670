"""Where control is."""
