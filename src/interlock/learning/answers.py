"""Hooks that run programs or call out are not run again: what they said then is taken from the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from interlock.hooks import Hook, Pattern, Sight
from interlock.learning.recorded import Recorded, Row
from interlock.verdict import NO_OPINION, Verdict

_LEAVES_NO_VOTE: Final = "evidence_capture"


class Answers:
    """The answers in the record of the decision that is looked at, and what was asked for in vain."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], list[Row]] = {}
        self.missing: Final[Counter[str]] = Counter()
        self.taken: Final[Counter[str]] = Counter()
        self.unknown = False  # whether a hook that applies to this decision had no answer in its record

    def open(self, record: Recorded) -> None:
        """Turn to another decision."""
        self.unknown = False
        self._rows = {}
        for row in record.trace:
            self._rows.setdefault((row.hook, row.type), []).append(row)

    def of(self, hook: str, kind: str) -> Verdict:
        """What a hook said then; a second time, what it said of the final input."""
        rows = self._rows.get((hook, kind))
        if not rows:
            self.unknown = True
            self.missing[hook] += 1
            return NO_OPINION
        self.taken[hook] += 1
        row = rows.pop(0) if len(rows) > 1 else rows[0]
        return Verdict(vote=row.said, reason=row.reason, updated_input=row.updated_input)


class FromRecord:
    """Stands in for a handler that would leave this process."""

    instant: Final = True
    patterns: Final[Sequence[Pattern]] = ()

    def __init__(self, hook: Hook, answers: Answers) -> None:
        self.kind: Final = hook.handler.kind
        self.judges: Final = hook.handler.judges
        self._name: Final = hook.name
        self._print: Final = hook.handler.fingerprint()
        self._answers: Final = answers

    def fingerprint(self) -> Any:
        return self._print

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return self._answers.of(self._name, self.kind)


def harmless(hooks: Iterable[Hook], answers: Answers) -> list[Hook]:
    """The same pipeline without any side effect."""
    return [
        hook if hook.handler.instant else msgspec.structs.replace(hook, handler=FromRecord(hook, answers))
        for hook in hooks
        if hook.handler.kind != _LEAVES_NO_VOTE
    ]
