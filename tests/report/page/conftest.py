"""One browser for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.page import browser as chromium
from tests.report.page.browser import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if chromium.chromium() is None:
        pytest.skip(chromium.NO_CHROMIUM)
    with chromium.browser() as started:
        yield started
