"""Several domains side by side."""
