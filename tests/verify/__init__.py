"""`drystone verify` and what it is made of."""
