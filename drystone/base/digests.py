"""Short hashes of contents. From blake2b's own module: `hashlib` loads all of OpenSSL."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # a Python that keeps it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b"]
