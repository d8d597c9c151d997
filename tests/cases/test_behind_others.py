"""Denied commands and files behind less known programs and options, under a policy that only denies."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.builders import bash
from tests.effects.oracle.corpus import Row, parse

from interlock.engine.engine import Engine
from interlock.events.hook import Layer
from interlock.events.verdict import Vote
from interlock.policy.load import load_policy

ROWS: Final = list(parse(Path(__file__).with_name("data").joinpath("behind_others.txt").read_text("utf-8")))
DENY_ONLY: Final = """\
version: "2.0"
permissions:
  actors:
    agent:main:
      deny:
        - Bash(rm -rf *)
        - Bash(curl *)
        - Bash(git push --force *)
        - read(**/.env)
        - read(.env)
        - write(..)
        - write(../*)
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """One that has no word for anything but what is denied."""
    policy = tmp_path_factory.mktemp("policy") / "genesis.key"
    policy.write_text(DENY_ONLY, encoding="utf-8")
    return Engine(load_policy([(Layer.USER, policy)], environ={}).hooks)


@pytest.mark.req("C08", "C10", "C14", "X11")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[:40])
def test_what_stands_behind_others_is_noticed(row: Row, engine: Engine, tmp_path: Path) -> None:
    """It is denied, asked about, or said to be unread: never passed over."""
    decision = engine.decide_sync(bash(row.text, cwd=str(tmp_path), actor="agent:main"))

    assert decision.vote >= Vote.ASK or decision.unread, row.why


def test_the_policy_leaves_others_alone(engine: Engine, tmp_path: Path) -> None:
    """Or the rows above would show nothing."""
    decision = engine.decide_sync(bash("sudo -u me ls", cwd=str(tmp_path), actor="agent:main"))

    assert decision.vote < Vote.ASK
    assert not decision.unread
