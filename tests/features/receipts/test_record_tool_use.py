"""Laws of the recording hooks, in an engine without a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.builders import Fails, bash, call, hook, rewriting, write

from interlock.effects.classification.book import CallNote, Earlier, MemoryBook
from interlock.effects.classification.classify import Repeat
from interlock.engine.engine import Engine
from interlock.errors import FailureKind, HookFailedError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.verdict import Vote, deny
from interlock.features.receipts.hook import DETECTED, ENDS, CheckBashSideEffects, RecordToolUse

SEND = "mcp__gmail__send_email"


class Watched(MemoryBook):
    """A book that shows what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.prepared: list[CallNote] = []
        self.closed: list[CallNote] = []

    def prepare(self, note: CallNote) -> Earlier | None:
        self.prepared.append(note)
        return super().prepare(note)

    def close(self, note: CallNote) -> None:
        self.closed.append(note)
        super().close(note)


class Broken(MemoryBook):
    """A book whose store is gone."""

    def prepare(self, note: CallNote) -> Earlier | None:
        raise HookFailedError(FailureKind.CRASH, "the call cannot be recorded: the disk is full")


def recording(book: MemoryBook, **fields: Any) -> Hook:
    """The hook that records, at both ends of a call."""
    return hook(RecordToolUse(book=book, repeat=Repeat.DENY), events=ENDS, **fields)


def checking(book: MemoryBook) -> Hook:
    """The hook that logs what commands would change, at both ends of a call."""
    return hook(CheckBashSideEffects(book=book), events=ENDS)


def decided(engine: Engine, book: MemoryBook, event: Event) -> Decision:
    """An event, decided and settled."""
    decision = engine.decide_sync(event)
    book.settle(event, decision)
    return decision


@pytest.mark.req("U9", "U25")
def test_a_call_is_recorded_at_both_ends_and_its_repeat_denied() -> None:
    """By one hook; the trace says what the call was taken for."""
    book = Watched()
    engine = Engine([recording(book)])
    first = decided(engine, book, call(SEND, tool_input={"to": "b"}))
    decided(engine, book, call(SEND, name="PostToolUse", tool_input={"to": "b"}, tool_output="sent to b"))
    again = decided(engine, book, call(SEND, tool_input={"to": "b"}))

    assert first.vote is Vote.ABSTAIN
    assert (first.trace[0].evidence and first.trace[0].evidence.data) == {
        "side_effect": "external",
        "replay": "REPLAY_EXACT",
        "told_by": "verb send",
    }
    assert (again.vote, again.decided_by) == (Vote.DENY, "record_tool_use")
    assert (again.reason or "").startswith(DETECTED)
    assert "sent to b" in (again.reason or "")
    assert [len(book.prepared), len(book.closed)] == [2, 1]


@pytest.mark.req("U26")
def test_a_ledger_that_fails_closes_the_call_and_not_what_has_happened() -> None:
    """No row, no run."""
    engine = Engine([recording(Broken())])

    decision = engine.decide_sync(call(SEND, tool_input={}))
    assert (decision.vote, decision.reason) == (
        Vote.DENY, "the call cannot be recorded: the disk is full",
    )  # fmt: skip


def test_what_is_recorded_is_the_final_input() -> None:
    """A hook that changes the call afterwards is seen in a second run."""
    book = Watched()
    engine = Engine([recording(book), checking(book), hook(rewriting("a", "b"))])
    decided(engine, book, bash("touch a"))

    commands = [note.event.tool.input["command"] for note in book.prepared if note.event.tool]
    assert commands[-2:] == ["touch b", "touch b"]


def test_a_call_denied_by_a_later_hook_was_not_made() -> None:
    """It may be tried again."""
    book = MemoryBook()
    denying = Engine([recording(book), hook(deny("no"), matcher=SEND)])
    assert decided(denying, book, call(SEND, tool_input={})).reason == "no"
    assert decided(Engine([recording(book)]), book, call(SEND, tool_input={})).vote is Vote.ABSTAIN


def test_a_failed_hook_beside_it_does_not_leave_the_call_under_way() -> None:
    """The call was denied, so nothing began."""
    book = MemoryBook()
    engine = Engine([recording(book), hook(Fails())])
    event = call(SEND, tool_input={})

    assert decided(engine, book, event).vote is Vote.DENY
    assert decided(Engine([recording(book)]), book, event).vote is Vote.ABSTAIN


@pytest.mark.req("U8")
def test_the_files_a_command_creates_writes_and_deletes_are_logged_before_it_runs(tmp_path: Path) -> None:
    """Told by what is read of the whole text, and by what is there."""
    (tmp_path / "old").write_text("x")
    book = Watched()
    command = "cd .; touch new && echo x > old; sudo rm -r gone; curl -o got https://example.org/x"
    decision = decided(Engine([checking(book)]), book, bash(command, cwd=str(tmp_path)))

    evidence = decision.trace[0].evidence
    assert evidence is not None
    assert (evidence.kind, evidence.ledger) == ("side_effects", False)
    assert sorted(evidence.data["creates"]) == ["got", "new"]
    assert evidence.data["writes"] == ["old"]
    assert evidence.data["deletes"] == ["gone"]
    assert evidence.data["network"] == ["example.org"]
    assert evidence.data["side_effect"] == "external"
    assert book.prepared[0].effects["deletes"] == ["gone"]


@pytest.mark.req("U8")
@pytest.mark.parametrize("event", [bash("ls -l; git status"), bash("cat a | grep x"), write("/w/app/x")])
def test_a_command_that_leaves_no_mark_and_other_tools_are_not_logged(event: Event) -> None:
    """It is about shell commands that change something."""
    book = Watched()
    decision = decided(Engine([checking(book)]), book, event)

    assert book.prepared == []
    assert decision.trace[0].evidence is None


@pytest.mark.req("U8")
def test_a_command_that_cannot_be_read_is_logged_as_such() -> None:
    """Nobody knows what it changes."""
    book = Watched()
    decided(Engine([checking(book)]), book, bash("python -c 'open(1)'"))

    assert book.prepared[0].effects == {"unread": "program text for `python`"}
    assert book.prepared[0].call.effect == "external"


def test_two_hooks_make_one_record_with_what_both_know() -> None:
    """The wider scope, and the effects."""
    book = MemoryBook()
    engine = Engine([recording(book), checking(book)])
    decided(engine, book, bash("touch a"))
    decided(engine, book, bash("touch a", name="PostToolUse", tool_output=""))

    assert decided(engine, book, bash("touch a")).vote is Vote.DENY
    assert decided(engine, book, bash("touch b")).vote is Vote.ABSTAIN


@pytest.mark.req("U8")
@pytest.mark.parametrize(
    ("command", "effects"),
    [
        ("cd docs && touch rel", {"creates": ["docs/rel"]}),
        ("cd docs && touch ../top ~/x", {"creates": ["top", "/home/me/x"]}),
        ("ls | tee c", {"creates": ["c"]}),
        ("rsync -a a b", {"creates": ["b"]}),
        ("python x.py", {"unknown": ["python x.py"]}),
    ],
)
def test_targets_are_seen_from_where_the_call_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, effects: dict[str, list[str]]
) -> None:
    """And code that nobody has read is recorded as unknown."""
    monkeypatch.setenv("HOME", "/home/me")
    book = Watched()
    decided(Engine([checking(book)]), book, bash(command, cwd=str(tmp_path)))

    assert book.prepared[0].effects == effects
