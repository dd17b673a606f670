"""Small sets of values, and ranges in the unsigned and the signed view."""
