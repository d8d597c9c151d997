"""What the handlers' tests share: a loopback endpoint that is gone after the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.handlers.endpoint import Endpoint, serving


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A real server on the loopback address."""
    with serving(Endpoint()) as served:
        yield served
