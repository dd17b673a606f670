"""The rewrites that `drystone.logic.terms.make` applies, one module per theory.

Every rule is an equivalence on all values and looks at a bounded number of nodes; tests prove each on small
widths. A rule gets the sort and the arguments, not all of them constants, and returns the simplified term
or None for the plain node.

- No rule may call `make` on parts of parts of ... without bound: chains of nodes are walked by loops.
- What a rule interns must be what `make` would give for it: else a term would depend on which terms were made
  before it, and differ between processes. So a rule that gives up at its bound leaves the whole as it was.
"""

from __future__ import annotations

from drystone.logic.rules import arrays, bits, booleans, comparisons, floats, slices

__all__ = ["arrays", "bits", "booleans", "comparisons", "floats", "slices"]
