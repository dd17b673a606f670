"""What the user can mend."""

from __future__ import annotations


class Refusal(Exception):
    """Something that was given cannot be used; the complete message for people. Everything else that ends a run is a bug."""
