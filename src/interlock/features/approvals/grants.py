"""Grants: a person's approval of more than one call, and which calls it covers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from interlock.effects.effect import EffectKind
from interlock.errors import ApprovalError, PatternError
from interlock.events.actor import in_words
from interlock.events.event import Event
from interlock.events.hook import Pattern, PatternList
from interlock.events.tool import ToolTable
from interlock.features.approvals.settings import ApprovalRules, Approvers, Scopes
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_pattern
from interlock.store.statements import statements

_CACHED: Final = 256
_OF_A_WRAPPER: Final = frozenset({EffectKind.RUN, EffectKind.ENV})
_OUTSIDE: Final = "dangerouslyDisableSandbox"  # another call, whatever its command is


def covers(text: str, event: Event, tools: ToolTable) -> bool:
    """Whether a granted pattern covers every part of a call. A text too long to analyse is not covered."""
    parsed = _parse_patterns((text,), tools)
    if parsed is None:
        return False
    patterns, book = parsed
    view = LocalCallView(event, book)
    if event.tool is None or view.is_long or view.unread or event.tool.input.get(_OUTSIDE):
        return False
    if not all(word.fixed for command in view.commands for word in command.words):
        return False  # part of it is known only when it runs
    return view.allowed(patterns) is not None and only_wrapped(view)


def only_wrapped(view: LocalCallView) -> bool:
    """Whether the wrappers in a call only run what they wrap. An allow looks through all of them."""
    wrappers = {command.written for command in view.commands if command.transparent and command.words}
    if any(effect.by in wrappers and effect.kind not in _OF_A_WRAPPER for effect in view.effects):
        return False  # `time -o FILE …`, `bash --rcfile FILE …`
    folders = {command.cwd for command in view.commands if not command.via}
    return all(command.cwd in folders for command in view.commands)  # `env -C FOLDER …`


def within(patterns: Sequence[Pattern], event: Event, tools: ToolTable) -> bool:
    """Whether patterns together cover a call; one for a whole tool covers all its calls."""
    parsed = _parse_patterns(tuple(pattern.text for pattern in patterns), tools)
    if parsed is None:
        return False
    view = LocalCallView(event, parsed[1])
    if view.is_long and any(pattern.glob is not None for pattern in patterns):
        return False
    return view.allowed(parsed[0]) is not None


def check_breadth(text: str, event: Event, tools: ToolTable, *, broad: bool) -> None:
    """Raise ApprovalError if a pattern is broader than intended or does not cover this call."""
    try:
        pattern = parse_pattern(text, tools)
    except PatternError as error:
        raise ApprovalError(str(error)) from error
    name = event.tool.name if event.tool else ""
    wide = pattern.glob is None or not pattern.glob.strip("*? ")
    if not broad and (wide or pattern.effect or pattern.tool != tools.canonical(name)):
        raise ApprovalError(
            f"`{text}` covers a whole tool or more; narrow it, or add --broad if that is what you want"
        )
    if not covers(text, event, tools):
        raise ApprovalError(f"`{text}` does not cover the call you were asked about; check the pattern")


@lru_cache(maxsize=_CACHED)
def _parse_patterns(texts: tuple[str, ...], tools: ToolTable) -> tuple[PatternList, PatternIndex] | None:
    try:
        patterns = PatternList(parse_pattern(text, tools) for text in texts)
    except PatternError:  # granted under another version's rules
        return None
    return patterns, PatternIndex(patterns.patterns, tools)


def objection(
    person: str, event: Event, approvers: Approvers, rules: ApprovalRules, tools: ToolTable
) -> str | None:
    """Why this person may not approve, or None: by the asking hooks' names, then each layer's settings."""
    for names in approvers:
        if person not in names:
            return f"{person} cannot approve this; only {in_words(names)} can"
    for scopes in rules.scopes:
        fault = _scope_objection(person, event, scopes, tools)
        if fault is not None:
            return fault
    return None


def _scope_objection(person: str, event: Event, scopes: Scopes, tools: ToolTable) -> str | None:
    if person not in scopes:
        return f"{person} is not one of the policy's approvers ({', '.join(scopes)})"
    patterns = scopes[person]
    if patterns is None or within(patterns, event, tools):
        return None
    scope = ", ".join(f"`{pattern.text}`" for pattern in patterns) or "nothing"
    return f"{person} may approve {scope}, and this call is something else"


PREFIX: Final = "gr_"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of grants, in the order of its columns."""

    id: int
    kind: str  # `call`: this one, in this session; `pattern`: whatever it covers, in this project
    digest: str | None
    pattern: str | None
    session_id: str | None
    project: str | None
    actor: str | None
    until: str | None
    approval: int | None
    granted_by: str
    granted_at: str
    revoked_by: str | None
    revoked_at: str | None
    note: str | None

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.id}"


class NewGrant(msgspec.Struct, frozen=True, kw_only=True):
    """What a person grants beside one approval."""

    pattern: str | None = None  # None: this exact call, for this session
    until: str | None = None
    broad: bool = False  # a whole tool or more, and meant so


def grant_of(row: tuple[Any, ...]) -> Grant:
    return Grant(**dict(zip(Grant.__struct_fields__, row, strict=True)))


_LISTED: Final = 500


class Grants:
    def __init__(self, connection: sqlite3.Connection, tools: ToolTable) -> None:
        self._connection: Final = connection
        self._tools: Final = tools
        self._sql: Final = statements("grants")

    def covering(self, event: Event, values: dict[str, Any], entitled: Callable[[str], bool]) -> Grant | None:
        """The oldest grant that covers this call and was given by somebody who may approve it."""
        for row in self._run("covering", {**values, "project": values["root"]}).fetchall():
            grant = grant_of(row)
            fits = grant.pattern is None or covers(grant.pattern, event, self._tools)
            if fits and entitled(grant.granted_by):
                return grant
        return None

    def add(self, values: dict[str, Any]) -> Grant:
        number: int = self._run("grant", values).fetchone()[0]
        return grant_of(self._run("get", (number,)).fetchone())

    def get(self, number: int) -> Grant | None:
        """One grant, also an expired or revoked one."""
        row = self._run("get", (number,)).fetchone()
        return grant_of(row) if row else None

    def standing(self, now: str) -> list[Grant]:
        """Those in force, oldest first."""
        return [grant_of(row) for row in self._run("standing", {"now": now})]

    def newest(self) -> list[Grant]:
        """The latest ones, also expired and revoked ones, oldest first."""
        return [grant_of(row) for row in self._run("newest", (_LISTED,))][::-1]

    def revoke(self, number: int, by: str, now: str) -> bool:
        """Revoke a grant; False if it already was."""
        return self._run("revoke", {"id": number, "by": by, "now": now}).rowcount == 1

    def _run(self, name: str, values: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)
