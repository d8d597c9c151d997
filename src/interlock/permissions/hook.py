"""`genesis_enforcement`: may this actor do this, by the lists of its policy file?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import msgspec

from interlock.events.hook import CallView, Pattern
from interlock.events.rule import Rule
from interlock.events.verdict import Verdict, Vote
from interlock.permissions.judge import judge, naming_line
from interlock.permissions.table import PermissionTable


@final
class GenesisEnforcement(Rule):
    """Judges by one file's permissions, knowing which actors other files speak for."""

    kind: Final = "genesis_enforcement"
    judges_carried = True

    def __init__(
        self, own: PermissionTable, others: Sequence[PermissionTable] = (), approvers: Sequence[str] = ()
    ) -> None:
        self._own: Final = own
        self._others: Final = tuple(others)
        self._approvers: Final = tuple(approvers)

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The lists of this file; the other files' enforcement hooks bring their own."""
        return self._own.patterns

    def cure_for(self, actor: str) -> str | None:
        """What gives an actor an entry where every call of it would be denied for want of one; else None."""
        if not self._own.actors or any(table.lists_of(actor) for table in (self._own, *self._others)):
            return None
        line = naming_line(actor, None, self._own)
        return f"add `{line}` to the user's policy" if line else f"write an entry for `{actor}`"

    def fingerprint(self) -> Any:
        return [list(self._own.actors), [pattern.text for pattern in self._own.patterns]]

    def run(self, view: CallView, seconds: float) -> Verdict:
        verdict = judge(self._own, self._others, view)
        if not self._approvers or verdict.vote is not Vote.ASK:
            return verdict
        return msgspec.structs.replace(verdict, approvers=self._approvers)
