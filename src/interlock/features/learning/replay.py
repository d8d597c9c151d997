"""A policy tried on recorded decisions: what would be decided otherwise?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import JUDGED
from interlock.events.tool import FALLBACK_FIELDS, JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.learning.history import RecordedDecision, read_decision
from interlock.features.learning.policies import Answers, TriedPolicies
from interlock.ledger.entry import Entry

_MOST: Final = 2_000  # changes kept apart; more are counted
_LONGEST: Final = 2_000  # characters of a call that are kept

Progress = Callable[[int], object]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, as far as it is compared."""

    decision: str
    rule: str | None = None
    reason: str | None = None
    updated_input: JsonObject | None = None


class Change(msgspec.Struct, kw_only=True):
    """Calls that would be decided otherwise in the same way."""

    before: Side
    after: Side
    event: str
    tool: str | None
    subject: str  # the command, path or prompt
    actor: str
    count: int = 0
    seqs: list[int] = []  # the newest few
    redacted: bool = False  # secrets stand not in what was judged
    uncertain: bool = False  # a hook that applies has no answer in the record


class Replay(msgspec.Struct, kw_only=True):
    """Everything that came of it."""

    replayed: int = 0
    unchanged: int = 0
    changed: int = 0
    redacted: int = 0
    skipped: dict[str, int] = {}  # why a decision could not be replayed → how many
    not_replayed: dict[str, int] = {}  # hooks without an answer in the record
    from_record: dict[str, int] = {}  # hooks whose recorded answer was taken
    changes: list[Change] = []
    more: int = 0  # changes beyond those kept apart


class Replayer:
    """Replays entries one by one; what it keeps does not grow with their number."""

    def __init__(self, policies: TriedPolicies, answers: Answers, runner: asyncio.Runner) -> None:
        self._policies: Final = policies
        self._answers: Final = answers
        self._runner: Final = runner
        self._changes: Final[dict[tuple[object, ...], Change]] = {}
        self._skipped: Final[Counter[str]] = Counter()
        self._found: Final = Replay()

    def run(self, entries: Iterable[Entry], limit: int | None, progress: Progress | None = None) -> Replay:
        """Replay the decisions among these entries, at most this many."""
        for entry in entries:
            if entry.op == "decision" and entry.event in JUDGED:
                self._replay(entry)
                if progress is not None:
                    progress(self._found.replayed)
            if limit is not None and self._found.replayed >= limit:
                break
        found = self._found
        found.skipped, found.not_replayed = dict(self._skipped), dict(self._answers.missing)
        found.from_record = dict(self._answers.taken)
        found.changes = sorted(self._changes.values(), key=lambda one: (-one.count, one.subject))
        return found

    def _replay(self, entry: Entry) -> None:
        record = read_decision(entry)
        if record is None:
            self._skipped["its record cannot be read"] += 1
            return
        if record.tool is not None and record.tool_input is None:
            self._skipped["its input is not recorded"] += 1
            return
        if record.by_people:
            self._skipped["a person decided it"] += 1
            return
        event = record.as_event()
        tried = self._policies.of(event)
        if tried is None:
            self._skipped["the policy of its project does not load"] += 1
            return
        event = tried.acting(event)
        self._answers.open(record, tried.revision)
        decision = tried.engine.start(event)
        if not isinstance(decision, Decision):  # git is asked, or another process reads a long text
            decision = self._runner.run(decision)
        self._compare(entry, record, event, tried.settled(event, decision))

    def _compare(self, entry: Entry, record: RecordedDecision, event: Event, decision: Decision) -> None:
        found = self._found
        found.replayed += 1
        found.redacted += record.redacted
        before, after = _before(record), _after(decision)
        if (before.decision, before.updated_input) == (after.decision, after.updated_input):
            found.unchanged += 1
            return
        found.changed += 1
        subject = _subject(event)[:_LONGEST]
        key = (before.decision, after.decision, before.rule, after.rule, event.name, record.tool, subject)
        if key not in self._changes:
            if len(self._changes) >= _MOST:
                found.more += 1
                return
            self._changes[key] = Change(
                before=before,
                after=after,
                event=event.name,
                tool=record.tool,
                subject=subject,
                actor=event.actor,
                seqs=[],
            )
        change = self._changes[key]
        change.count += 1
        change.redacted |= record.redacted
        change.uncertain |= self._answers.unknown
        if len(change.seqs) < _MOST_SEQS:
            change.seqs.append(entry.seq)


_MOST_SEQS: Final = 5  # enough to look some of them up


def _before(record: RecordedDecision) -> Side:
    vote = record.voted
    changed = None if vote is Vote.DENY else record.updated_input
    return Side(
        decision=str(max(vote, Vote.ALLOW)),
        rule=record.decided_by,
        reason=record.reason,
        updated_input=changed,
    )


def _after(decision: Decision) -> Side:
    return Side(
        decision=decision.outcome,
        rule=decision.decided_by,
        reason=decision.reason,
        updated_input=decision.updated_input,
    )


def _subject(event: Event) -> str:
    """What the call is about, for people."""
    if event.tool is None:
        return event.prompt or ""
    spec = STANDARD_TOOLS.spec(event.tool.name)
    names = (spec.main,) if spec and spec.main else FALLBACK_FIELDS
    found = next((event.tool.input[name] for name in names if name in event.tool.input), None)
    return found if isinstance(found, str) else msgspec.json.encode(event.tool.input).decode()
