"""What the tests of commitments share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.features.commitments.desk import Desk, desk_at


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk without a policy."""
    with desk_at(tmp_path) as made:
        yield made
