"""A command that is only tried: how it is read, what it would do, and what the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.daemon.policy_loader import Loaded
from interlock.effects.command import INLINE, Reading
from interlock.effects.descriptions import Branch, knowledge_of, notes, place, position, target_of, tree
from interlock.effects.reading import read_call, read_effects
from interlock.engine.rules_only import not_run
from interlock.errors import InterlockError
from interlock.events.decision import TraceRow
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import FALLBACK_FIELDS, JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Outcome
from interlock.web.policies import ReadPolicies

SESSION: Final = "try"


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants to know about."""

    tool: str
    text: str
    folder: str
    actor: str = ""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A command of the tree, with those that were found inside it."""

    written: str
    notes: tuple[str, ...]
    inside: tuple[Node, ...]


class Consequence(msgspec.Struct, frozen=True, kw_only=True):
    """Something the call would do."""

    kind: str
    target: str
    known: str


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch that could not be read, and where it stands."""

    kind: str
    why: str
    text: str
    place: str


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to say of a call that nobody makes."""

    tried: Tried
    actor: str
    tree: tuple[Node, ...]
    effects: tuple[Consequence, ...]
    unread: tuple[Unread, ...]
    decision: str
    reason: str | None
    rule: str | None
    asked: tuple[TraceRow, ...]  # in the order they were asked
    silent: int  # rules the call is not about
    not_run: tuple[str, ...]  # hooks that are only asked when the call is made
    updated_input: JsonObject | None


def outlook(policies: ReadPolicies, tried: Tried) -> Outlook:
    """Read a call and ask the rules about it."""
    if not tried.text.strip():
        raise InterlockError("there is no command to try; type one")
    if len(tried.text) > INLINE:
        raise InterlockError(
            f"{len(tried.text):,} characters are too many to try here; use `interlock hooks explain`"
        )
    loaded = policies.for_folder(tried.folder)
    if not loaded.usable:
        raise InterlockError(f"the policy does not load: {loaded.problem}")
    return _outlook(policies, tried, loaded)


def _outlook(policies: ReadPolicies, tried: Tried, loaded: Loaded) -> Outlook:
    call, actor = _call(tried), tried.actor or loaded.actors.of_main(None)
    event = Event(name=EventName.PRE_TOOL_USE, session_id=SESSION, cwd=tried.folder, actor=actor, tool=call)
    decision = policies.decide(event, loaded)
    spec = STANDARD_TOOLS.spec(call.name)
    reading = read_call(call, spec, tried.folder)
    effects = read_effects(reading, call, spec, tried.folder)
    asked = tuple(row for row in decision.trace if row.outcome is not Outcome.SKIPPED)
    found = (
        Consequence(kind=str(effect.kind), target=target_of(effect, tried.folder), known=knowledge_of(effect))
        for effect in effects
    )
    return Outlook(
        tried=tried,
        actor=actor,
        tree=_nodes(tree(reading.commands), tried.folder, tried.folder),
        effects=tuple(dict.fromkeys(found)),
        unread=_unread(reading, tried.text),
        decision=decision.outcome,
        reason=decision.reason,
        rule=decision.decided_by,
        asked=asked,
        silent=len(decision.trace) - len(asked),
        not_run=tuple(not_run(decision)),
        updated_input=decision.updated_input,
    )


def _call(tried: Tried) -> ToolCall:
    """A call with only its main argument."""
    name = STANDARD_TOOLS.canonical(tried.tool)
    spec = STANDARD_TOOLS.spec(name)
    return ToolCall(name=name, input={(spec.main if spec else None) or FALLBACK_FIELDS[0]: tried.text})


def _nodes(branches: Sequence[Branch], around: str | None, cwd: str) -> tuple[Node, ...]:
    return tuple(
        Node(
            written=branch.command.written,
            notes=tuple(notes(branch.command, around, cwd)),
            inside=_nodes(branch.inside, branch.command.cwd, cwd),
        )
        for branch in branches
    )


def _unread(reading: Reading, text: str) -> tuple[Unread, ...]:
    if not reading.gaps:
        return (Unread(kind="", why=reading.unread, text="", place=""),) if reading.unread else ()
    found = []
    for gap in reading.gaps:
        at = place(gap, text)
        line, column = (None, None) if at is None else position(at, text)
        where = "" if at is None else f"{line}:{column}"
        found.append(Unread(kind=str(gap.kind), why=gap.why, text=gap.text, place=where))
    return tuple(found)
