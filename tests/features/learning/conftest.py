"""What the tests of learning share: a policy, and decisions recorded under it as the daemon does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from interlock.cli.app import make_app
from interlock.cli.policy_source import here, load
from interlock.engine.engine import Engine
from interlock.errors import InterlockError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.decision_record import body_of
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

Record = Callable[..., list[Decision]]
Run = Callable[..., Result]


@pytest.fixture
def policy(home: Path) -> Callable[[str], Path]:
    """Write the user's genesis.key."""

    def written(text: str) -> Path:
        folder = here().user_config
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "genesis.key").write_text('version: "2.0"\n' + text)
        return folder / "genesis.key"

    return written


@pytest.fixture
def record(home: Path) -> Record:
    """Decide events under the policy in force and record them."""

    def recorded(*events: Event, **changes: Any) -> list[Decision]:
        loaded = load([])
        engine = Engine(loaded.pipeline, revision=loaded.revision, tools=CLAUDE_CODE_TOOLS)
        decisions = [engine.decide_sync(event) for event in events]
        engine.close()
        with closing(open_database(here().database)) as connection:
            writer = LedgerWriter(connection)
            for event, decision in zip(events, decisions, strict=True):
                writer.append("decision", event.actor, event.cwd, body_of(event, decision, seconds=0.001))
            writer.flush()
        return decisions

    return recorded


@pytest.fixture
def run() -> Run:
    """Type a command."""

    def typed(*arguments: str) -> Result:
        result = CliRunner().invoke(make_app(), arguments)
        if isinstance(result.exception, InterlockError):
            raise result.exception
        return result

    return typed
