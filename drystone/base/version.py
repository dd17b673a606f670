"""The version of drystone, in what it writes: results, certificates, recordings."""

__version__ = "0.1.0"
