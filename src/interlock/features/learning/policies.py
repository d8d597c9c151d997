"""The policy to try: the given files, and the project's own files that were in force for an event."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.daemon.call_intake import with_actor
from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceInMemory
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import CallView, Condition, Hook, Layer, Pattern
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.features.approvals.settings import standing_answer
from interlock.features.learning.history import RecordedDecision, Row
from interlock.hosts.all_hosts import HOSTS
from interlock.patterns.analyzed_call_view import LongReader
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy
from interlock.policy.protected_paths import Guarded
from interlock.policy.trust import TrustList, project_files

_LEAVES_NO_VOTE: Final = "evidence_capture"
_WORK: Final = "work"
# Their answers depend on earlier events: requests, scores, counts, the state of work and machine.
_BY_THE_PAST: Final = frozenset(
    {
        "approval_gate",
        "artifacts",
        "budget",
        "cancellation",
        "final_validation",
        "loop_guard",
        "memory_nudge",
        "promise",
        "record_tool_use",
        "resource_check",
        "schema_guard",
        "trust_gate",
        _WORK,
    }
)
_BY_THE_FILES: Final = frozenset({"redirect"})  # of the project, which may have changed
_ABOUT_THE_PAST: Final = re.compile(r"\b(commitment|session|effort)\b")  # in a condition


class Answers:
    """The recorded answers of the decision being replayed, and which answers were missing."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], list[Row]] = {}
        self.missing: Final[Counter[str]] = Counter()
        self.taken: Final[Counter[str]] = Counter()
        self._skipped: frozenset[str] = frozenset()
        self.same = False  # whether the decision was made under the policy that is tried
        self.unknown = False  # whether a hook that applies to this decision had no answer in its record

    def open(self, record: RecordedDecision, revision: str = "") -> None:
        """Turn to another decision, to be tried under a policy of this revision."""
        self.same = record.revision == revision
        self._skipped = frozenset(record.skipped) if self.same else frozenset()
        self.unknown = False
        self._rows = {}
        for row in record.trace:
            self._rows.setdefault((row.hook, row.type), []).append(row)

    def find(self, hook: str, kind: str) -> Verdict:
        """The recorded answer of a hook; the second time, its answer about the final input."""
        rows = self._rows.get((hook, kind))
        if not rows and hook in self._skipped:
            return NO_OPINION
        if not rows:
            self.unknown = True
            self.missing[hook] += 1
            return NO_OPINION
        self.taken[hook] += 1
        row = rows.pop(0) if len(rows) > 1 else rows[0]
        return Verdict(vote=row.counted, reason=row.reason, updated_input=row.updated_input)

    def has_run(self, hook: Hook) -> bool | None:
        """Whether a hook ran then; None if the record does not say, since the policy was another one."""
        if (hook.name, hook.handler.kind) in self._rows:
            return True
        return False if hook.name in self._skipped else None


class RecordedCondition:
    """Replaces a condition about what is not recorded: the work, the session, the effort."""

    def __init__(self, hook: Hook, condition: Condition, answers: Answers) -> None:
        self.text: Final = condition.text
        self._hook: Final = hook
        self._condition: Final = condition
        self._answers: Final = answers

    def holds(self, event: Event) -> bool:
        has_run = self._answers.has_run(self._hook)
        return self._condition.holds(event) if has_run is None else has_run


class RecordedMatcher:
    """Replaces the matcher of a hook that only runs for sessions at work, which is in the record."""

    by_patterns_alone: Final = False

    def __init__(self, hook: Hook, answers: Answers) -> None:
        self.text: Final = hook.matcher.text
        self.needs_tool: Final = hook.matcher.needs_tool
        self.patterns: Final = hook.matcher.patterns
        self._hook: Final = hook
        self._answers: Final = answers

    def fires(self, view: CallView, *, every_part: bool) -> bool:  # noqa: ARG002 - the protocol's signature
        return self._answers.has_run(self._hook) is True


class RecordedOnce:
    """Which call a `once` hook ran for, by the record; under another policy, the first one."""

    def __init__(self, hooks: Iterable[Hook], answers: Answers) -> None:
        self._hooks: Final = {hook.key: hook for hook in hooks if hook.once}
        self._answers: Final = answers
        self._first: Final = OnceInMemory()

    def claim(self, session_id: str, key: str) -> bool:
        has_run = self._answers.has_run(self._hooks[key])
        return self._first.claim(session_id, key) if has_run is None else has_run

    def release(self, session_id: str, key: str) -> None:
        self._first.release(session_id, key)


class RecordedHandler:
    """Replaces a handler that would leave this process, or whose answer depends on the past.

    Under another policy than then it runs again, if it can.
    """

    instant: Final = True
    patterns: Final[Sequence[Pattern]] = ()

    def __init__(self, hook: Hook, answers: Answers, *, again: bool = False) -> None:
        self._handler: Final = hook.handler if again else None
        self.kind: Final = hook.handler.kind
        self.judges: Final = hook.handler.judges
        self._name: Final = hook.name
        self._fingerprint: Final = hook.handler.fingerprint()
        self._answers: Final = answers

    def fingerprint(self) -> Any:
        return self._fingerprint

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        if self._handler is not None and not self._answers.same:
            return self._handler.run(view, seconds)
        return self._answers.find(self._name, self.kind)


def without_side_effects(hooks: Iterable[Hook], answers: Answers) -> list[Hook]:
    """The same pipeline without any side effect."""
    replaced = []
    for hook in hooks:
        kind, handler, condition = hook.handler.kind, hook.handler, hook.condition
        if kind == _LEAVES_NO_VOTE:
            continue
        if condition is not None and _ABOUT_THE_PAST.search(condition.text):
            condition = RecordedCondition(hook, condition, answers)
        if not handler.instant or kind in _BY_THE_PAST | _BY_THE_FILES:
            handler = RecordedHandler(hook, answers, again=kind in _BY_THE_FILES)
        matcher = RecordedMatcher(hook, answers) if kind == _WORK else hook.matcher
        replaced.append(msgspec.structs.replace(hook, handler=handler, condition=condition, matcher=matcher))
    return replaced


_MOST_PLACES: Final = 64  # projects at a time

Files = Sequence[tuple[Layer, Path | PolicyText]]


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """The policy as it would be in one place."""

    engine: Engine
    policy: Policy
    tools: ToolTable

    def settle(self, event: Event, decision: Decision) -> Decision:
        """The decision with its ask answered where the policy itself does."""
        return standing_answer(event, decision, self.policy, self.tools) or decision

    def with_actor(self, event: Event) -> Event:
        """The event with the actor this policy gives it; the main agent is known, not chosen again."""
        return with_actor(event, self.policy.actors, event.parent_actor or event.actor)


class TriedPolicies:
    """Loads the policy for each place an event was recorded in, with nothing in it that has an effect."""

    def __init__(
        self,
        files: Files,
        answers: Answers,
        *,
        environ: Mapping[str, str],
        guarded: Guarded | None = None,
        trust: TrustList | None = None,
        read: LongReader | None = None,
    ) -> None:
        self._files: Final = list(files)
        self._answers: Final = answers
        self._environ: Final = dict(environ)
        self._guarded: Final = guarded
        self._trust: Final = trust  # None: no project brings files of its own
        self._read: Final = read
        self._policies_by_place: Final[dict[tuple[str, str, str], Tried | None]] = {}

    def check(self) -> None:
        """Load the given files on their own; raise ConfigError with their mistakes."""
        load_policy(self._files, environ=self._environ, guarded=self._guarded)

    def load_for(self, event: Event) -> Tried | None:
        """The policy for an event, None where a project's own files cannot be used."""
        key = (event.host, event.cwd, event.project or "")
        if key not in self._policies_by_place:
            if len(self._policies_by_place) >= _MOST_PLACES:
                self._drop(next(iter(self._policies_by_place)))
            self._policies_by_place[key] = self._load(event)
        return self._policies_by_place[key]

    def close(self) -> None:
        """Close every engine."""
        while self._policies_by_place:
            self._drop(next(iter(self._policies_by_place)))

    def _drop(self, key: tuple[str, str, str]) -> None:
        if (tried := self._policies_by_place.pop(key)) is not None:
            tried.engine.close()

    def _load(self, event: Event) -> Tried | None:
        files = [*self._files, *self._of_projects(event)]
        try:
            policy = load_policy(files, environ=self._environ, guarded=self._guarded)
        except ConfigError:
            return None
        host = HOSTS.get(event.host)
        tools = host.tools if host else STANDARD_TOOLS
        hooks = without_side_effects(policy.pipeline, self._answers)
        once = RecordedOnce(hooks, self._answers)
        engine = Engine(hooks, revision=policy.revision, tools=tools, once=once, read=self._read)
        return Tried(engine=engine, policy=policy, tools=tools)

    def _of_projects(self, event: Event) -> Files:
        if self._trust is None:
            return ()
        states = {
            state.root: state
            for folder in (event.project, event.cwd)
            if folder
            for state in self._trust.states_above(os.path.realpath(folder))
        }
        return [file for state in states.values() for file in project_files(state)]
