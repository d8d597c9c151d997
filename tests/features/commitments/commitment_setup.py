"""A ledger of its own to work on commitments with, without a daemon around it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from interlock.events.hook import Layer
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import Commitment, Operation, RefusedError, operation_of
from interlock.features.commitments.service import Caller, Commitments
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.policy.load import load_policy
from interlock.store.database import open_database

PLACE = "/w/app"
HEAD = 'version: "2.0"\n'


@dataclass(kw_only=True)
class CommitmentSetup:
    """Does operations and says what came of them; `now` is the time, and moves only by hand."""

    connection: sqlite3.Connection
    policy: CommitmentPolicy = field(default_factory=CommitmentPolicy)
    now: float = 1_700_000_000.0

    def __post_init__(self) -> None:
        self.writer = LedgerWriter(self.connection, clock=lambda: self.now)
        self.commitments = self.reopened()

    def reopened(self) -> Commitments:
        """The same ledger, read anew."""
        return Commitments(
            self.connection, self.writer, lambda: self.writer.flush() is not None, clock=lambda: self.now
        )

    def do(
        self,
        op: str,
        actor: str = "human:ada",
        *,
        meta: dict[str, Any] | None = None,
        source_key: str | None = None,
        place: str = PLACE,
        session: str | None = None,
        person: bool = True,
        **payload: Any,
    ) -> str:
        """Do one operation; gives its id, and that is the id of what it makes."""
        if op == "submit" and "evidence" not in payload:
            payload.setdefault("summary", "done")
        caller = Caller(actor=actor, workspace=place, session_id=session, person=person)
        done = self.commitments.perform(op, payload, caller, self.policy, meta=meta, source_key=source_key)
        return next(one.id for one in done if one.op == op)

    def refused(self, op: str, actor: str = "human:ada", **given: Any) -> str:
        """The code an operation is refused with; nothing is written."""
        before = self.entries()
        with pytest.raises(RefusedError) as caught:
            self.do(op, actor, **given)
        error = caught.value

        assert self.entries() == before
        assert error.sentence
        assert error.next_step
        assert str(error) == f"{error.code}: {error.sentence}; {error.next_step}"
        return error.code.value

    def entries(self) -> list[Entry]:
        """Everything recorded, in order."""
        return LedgerReader(self.connection).after(0, limit=100_000)

    @property
    def state(self) -> State:
        """How the usual workspace stands."""
        return self.commitments.state(PLACE)

    def commitment(self, name: str) -> Commitment:
        """One commitment as it stands."""
        return self.state.commitments[name]

    def capture(self, body: str = "it fails", actor: str = "human:ada", **given: Any) -> str:
        """A memory."""
        return self.do("capture", actor, body=body, **given)

    def commit(self, *tags: str, actor: str = "human:ada", **given: Any) -> str:
        """A commitment from a memory of its own."""
        source = given.pop("source", None) or self.capture(actor=actor)
        return self.do("commit", actor, body="fix it", source=source, tags=list(tags), **given)

    def claimed(self, *tags: str, by: str = "agent:x", **given: Any) -> str:
        """A commitment somebody is at work on."""
        name = self.commit(*tags)
        self.do("claim", by, commitment=name, **given)
        return name

    def submitted(self, *tags: str, by: str = "agent:x") -> str:
        """A commitment that was handed in."""
        name = self.claimed(*tags, by=by)
        self.do("submit", by, commitment=name)
        return name


@contextmanager
def commitment_setup(folder: Path, policy: str = "", layer: Layer = Layer.USER) -> Iterator[CommitmentSetup]:
    """A setup with a new ledger, under a policy."""
    with closing(open_database(folder / "state" / "interlock.db")) as connection:
        yield CommitmentSetup(connection=connection, policy=policy_of(folder, policy, layer=layer))


def policy_of(folder: Path, *policies: str, layer: Layer = Layer.USER) -> CommitmentPolicy:
    """What policies say about commitments; the first is of the layer given, the others of a project."""
    files = []
    for index, text in enumerate(filter(None, policies)):
        file = folder / f"p{index}" / "genesis.key"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEAD + text, encoding="utf-8")
        files.append((layer if index == 0 else Layer.PROJECT, file))
    return COMMITMENTS.get(load_policy(files, environ={"PATH": "/usr/bin:/bin"}))


def recorded(done: list[Operation]) -> list[str]:
    """The names of operations."""
    return [one.op for one in done]


def replay(entries: Iterable[Entry | Operation]) -> State:
    """The state after all of these, in their order."""
    state = State()
    for entry in entries:
        operation = operation_of(entry) if isinstance(entry, Entry) else entry
        if operation is not None:
            state.take(operation)
    return state
