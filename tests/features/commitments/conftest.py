"""What the tests of commitments share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.features.commitments.commitment_setup import CommitmentSetup, commitment_setup


@pytest.fixture
def setup(tmp_path: Path) -> Iterator[CommitmentSetup]:
    """A setup without a policy."""
    with commitment_setup(tmp_path) as made:
        yield made
