"""Logic: sorts, terms, what operators mean, and the forms that terms take as text and bytes.

Importing anything of this package loads the rules, so that no term is ever made without them.
"""

from __future__ import annotations

from drystone.logic import rules

__all__ = ["rules"]
