"""Laws of what is done before somebody opens a page."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from tests.daemon.approvers import policy
from tests.daemon.home import Home

from interlock.web.main import warm
from interlock.web.policies import policies_of

LOADED = "policy revision"


def loads(caplog: pytest.LogCaptureFixture) -> int:
    """How often a policy was loaded."""
    return sum(LOADED in message for message in caplog.messages)


def test_the_policy_is_loaded_before_the_page_is_opened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Opening it then loads nothing, and a change is still seen."""
    caplog.set_level(logging.INFO)
    home = Home(folder=tmp_path)
    home.write_policy(policy())
    warm(home.places)
    assert loads(caplog) == 1
    before = policies_of(home.places).for_folder("").revision
    assert loads(caplog) == 1
    home.write_policy(policy() + "# another one\n")

    assert policies_of(home.places).for_folder("").revision != before


def test_a_broken_policy_does_not_keep_the_dashboard_from_starting(tmp_path: Path) -> None:
    """The page says what is wrong with it."""
    home = Home(folder=tmp_path)
    home.write_policy("version: [")
    warm(home.places)

    assert policies_of(home.places).for_folder("").problem is not None
