"""Does a granted pattern cover a whole call, and may this person say yes to it?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from interlock.effects.effect import EffectKind
from interlock.errors import ApprovalError, PatternError
from interlock.events.actor import in_words
from interlock.events.event import Event
from interlock.events.hook import Pattern, PatternList
from interlock.events.tool import ToolTable
from interlock.features.approvals.requests import Approvers
from interlock.features.approvals.settings import ApprovalRules, Scopes
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.pattern import parse_pattern

_BOOKS: Final = 256
_OF_A_WRAPPER: Final = frozenset({EffectKind.RUN, EffectKind.ENV})
_OUTSIDE: Final = "dangerouslyDisableSandbox"  # another call, whatever its command is


def covers(text: str, event: Event, tools: ToolTable) -> bool:
    """Whether a granted pattern covers every part of a call; a text too long to be read now it does not."""
    found = _listed((text,), tools)
    if found is None:
        return False
    patterns, book = found
    view = LocalCallView(event, book)
    if event.tool is None or view.is_long or view.unread or event.tool.input.get(_OUTSIDE):
        return False
    if not all(word.fixed for command in view.commands for word in command.words):
        return False  # part of it is known only when it runs
    return view.allowed(patterns) is not None and only_wrapped(view)


def only_wrapped(view: LocalCallView) -> bool:
    """Whether no wrapper of a call does more than run what it wraps: an allow looks through all of them."""
    wrappers = {command.written for command in view.commands if command.transparent and command.words}
    if any(effect.by in wrappers and effect.kind not in _OF_A_WRAPPER for effect in view.effects):
        return False  # `time -o FILE …`, `bash --rcfile FILE …`
    folders = {command.cwd for command in view.commands if not command.via}
    return all(command.cwd in folders for command in view.commands)  # `env -C FOLDER …`


def within(patterns: Sequence[Pattern], event: Event, tools: ToolTable) -> bool:
    """Whether patterns together cover a call; one that names a whole tool covers all of its calls."""
    found = _listed(tuple(pattern.text for pattern in patterns), tools)
    if found is None:
        return False
    view = LocalCallView(event, found[1])
    if view.is_long and any(pattern.glob is not None for pattern in patterns):
        return False
    return view.allowed(found[0]) is not None


def check_breadth(text: str, event: Event, tools: ToolTable, *, broad: bool) -> None:
    """Raise ApprovalError unless a pattern is no broader than wanted and is about this call."""
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


@lru_cache(maxsize=_BOOKS)
def _listed(texts: tuple[str, ...], tools: ToolTable) -> tuple[PatternList, PatternIndex] | None:
    try:
        patterns = PatternList(parse_pattern(text, tools) for text in texts)
    except PatternError:  # granted under another version's rules
        return None
    return patterns, PatternIndex(patterns.patterns, tools)


def objection(
    person: str, event: Event, approvers: Approvers, rules: ApprovalRules, tools: ToolTable
) -> str | None:
    """Why not, or None: by the names the asking hooks gave, then by the settings of each layer."""
    for names in approvers:
        if person not in names:
            return f"{person} cannot approve this; only {in_words(names)} can"
    for scopes in rules.scopes:
        found = _outside(person, event, scopes, tools)
        if found is not None:
            return found
    return None


def _outside(person: str, event: Event, scopes: Scopes, tools: ToolTable) -> str | None:
    if person not in scopes:
        return f"{person} is not one of the policy's approvers ({', '.join(scopes)})"
    patterns = scopes[person]
    if patterns is None or within(patterns, event, tools):
        return None
    listed = ", ".join(f"`{pattern.text}`" for pattern in patterns) or "nothing"
    return f"{person} may approve {listed}, and this call is something else"
