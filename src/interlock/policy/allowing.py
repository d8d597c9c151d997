"""What a person writes into which file so that a call passes that was stopped, and no more than that."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from interlock.engine.engine import Engine
from interlock.errors import PatternError
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.hook import PACK_SOURCE, Hook
from interlock.events.tool import SubjectKind, ToolTable
from interlock.events.verdict import Vote
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.covered_call import covered
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_pattern
from interlock.policy.packs import find_pack, pack_names
from interlock.redaction.marks import marks_in

POLICY_FILE: Final = "genesis.key"  # in the folder of the user's own policies
_MOST_RULES: Final = 12  # of packs that stop one call
_BY_HAND: Final = frozenset({"ask", "deny", "cleaning"})
_NO_MATCH: Final = "No matching allow pattern"
_PLAIN: Final = re.compile(r"[A-Za-z0-9/_.@~-]+(?::[A-Za-z0-9/_.@~-]+)*")  # means itself in YAML
_NUMBER: Final = re.compile(r":[0-9]+\Z")


class Allowing(msgspec.Struct, frozen=True, kw_only=True):
    """What to write, where, and what else comes of it."""

    file: str
    text: str  # YAML
    note: str = ""
    rule: str = ""  # the lines belong to this rule of the file; empty: to the file as a whole

    @property
    def lines(self) -> list[str]:
        """All of it, to print: where it belongs, what to write, and what else that changes."""
        where = f"the rule `{self.rule}` in {self.file}" if self.rule else self.file
        head = f"To allow this, a person can add to {where}:"
        return [head, *(f"  {line}" for line in self.text.splitlines()), *([self.note] if self.note else [])]


def allowing(event: Event, vote: Vote, hooks: Sequence[Hook], tools: ToolTable, file: str) -> Allowing | None:
    """The narrowest lines that allow a call; None where no line of a file can.

    An ask is answered by a grant for these very commands. A rule of a pack that denies is first made to ask;
    where no grant can cover the call, since part of it is known only when it runs, the rule is switched off.
    """
    if event.tool is None or vote < Vote.ASK or _is_redacted(event):
        return None
    patterns = grant_patterns(event, tools)
    words: dict[str, str] = {}
    while vote is not Vote.ASK or not patterns:
        decision = _decided(event, [hook for hook in hooks if hook.name not in words], tools)
        vote = decision.vote
        if decision.approvers or len(words) > _MOST_RULES:
            return None
        if vote < Vote.ASK:
            break
        if vote is Vote.ASK and patterns:
            continue
        stopping = [row for row in decision.trace if row.vote is vote and not row.shadow]
        by_hand = next((row for row in stopping if _pack_rule(row) is None), None)
        if by_hand is not None or not stopping:
            return _by_hand(by_hand, event, patterns) if by_hand and not words else None
        words |= {row.hook: "ask" if patterns else "off" for row in stopping}
    wanted = patterns if vote is Vote.ASK or "ask" in words.values() else ()
    return _settings_for(file, words, event, wanted) if words or wanted else None


def is_own_rule(hook: str | None) -> bool:
    """Whether a hook is part of every policy, so that no line of a file removes it."""
    return (hook or "").startswith("interlock/")


def grant_patterns(event: Event, tools: ToolTable) -> tuple[str, ...]:
    """One pattern for each command of a call, if together they are a grant for it; else none."""
    tool = event.tool
    spec = tools.spec(tool.name) if tool else None
    if tool is None or spec is None or spec.main is None:
        return ()
    name = tools.canonical(tool.name)
    view = LocalCallView(event, PatternIndex((), tools))
    if view.is_long or view.unread:
        return ()
    subject = tool.input.get(spec.main)
    parts: Iterable[object] = (subject,)
    if spec.kind is SubjectKind.SHELL:
        parts = dict.fromkeys(command.written for command in view.commands)
    texts = tuple(f"{name}({part})" for part in parts)
    try:
        patterns = [parse_pattern(text, tools) for text in texts]
    except PatternError:
        return ()
    return texts if patterns and covered(event, patterns, tools) else ()


def _is_redacted(event: Event) -> bool:
    """Whether a secret was taken out: then this is not the call that was stopped."""
    given = event.tool.input if event.tool else {}
    return bool(marks_in(msgspec.json.encode(given)))


def _decided(event: Event, hooks: Sequence[Hook], tools: ToolTable) -> Decision:
    """What the rules say; nothing is started for it."""
    rules = [hook for hook in hooks if hook.handler.instant and hook.handler.kind != "work"]
    return Engine(rules, tools=tools).decide_sync(event)


def _pack_rule(row: TraceRow) -> tuple[str, str] | None:
    pack, slash, rule = row.hook.partition("/")
    if not slash or not row.source.startswith(PACK_SOURCE) or pack not in pack_names():
        return None
    return (pack, rule) if rule in find_pack(pack).rules else None


def _by_hand(row: TraceRow, event: Event, patterns: tuple[str, ...]) -> Allowing | None:
    """A rule that a person wrote, which is changed in its own file."""
    file = _NUMBER.sub("", row.source)
    if row.type == "genesis_enforcement" and (row.reason or "").startswith(_NO_MATCH) and patterns:
        return Allowing(file=file, text=_yaml({"permissions": {event.actor: {"allow": list(patterns)}}}))
    if row.type not in _BY_HAND:
        return None
    note = "This turns the rule off. To allow only this call, narrow the rule's matcher instead."
    return Allowing(file=row.source, text="enabled: false\n", note=note, rule=row.hook)


def _settings_for(file: str, words: Mapping[str, str], event: Event, patterns: tuple[str, ...]) -> Allowing:
    settings: dict[str, Any] = {}
    for hook, word in words.items():
        pack, _, rule = hook.partition("/")
        settings.setdefault("packs", {}).setdefault(pack, {})[rule] = word
    if patterns:
        folder = os.path.realpath(event.cwd) if event.cwd else ""
        settings["projects"] = {folder: {"grants": {event.actor: list(patterns)}}}
    return Allowing(file=file, text=_yaml({"settings": settings}), note=_note(words))


def _note(words: Mapping[str, str]) -> str:
    """What the lines change beside this call."""
    if not words:
        return ""
    names = ", ".join(f"`{hook.partition('/')[2]}`" for hook in words)
    what = "asks about its other calls" if "ask" in words.values() else "no longer stops any call"
    packs = ", ".join(dict.fromkeys(hook.partition("/")[0] for hook in words))
    return f"{names} then {what}. If the file already says `packs: [{packs}]`, replace it with this."


def _yaml(value: Mapping[str, Any], indent: str = "") -> str:
    lines = ""
    for key, inner in value.items():
        lines += f"{indent}{_scalar(key)}:"
        if isinstance(inner, Mapping):
            lines += "\n" + _yaml(inner, indent + "  ")
        elif isinstance(inner, list):
            lines += "\n" + "".join(f"{indent}  - {_quoted(item)}\n" for item in inner)
        else:
            lines += f" {_scalar(inner)}\n"
    return lines


def _quoted(text: str) -> str:
    """A text in quotes; what cannot be seen is written out."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in written)


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quoted(text)
