"""Makes `tests.gcc` and `tests.memory` importable however pytest is started."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
