"""Verdicts against complete enumeration: small random programs are decided by an explicit search that shares nothing with drystone."""
