"""Programs with exactly one planted violation, and their repaired twins: the truth about checks, known by construction."""
