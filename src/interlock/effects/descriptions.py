"""What a reading says of a call in the words people read: its commands as a tree, and where a gap stands."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from interlock.effects.command import Command, Gap
from interlock.effects.effect import Effect, EffectKind

_INSIDE: Final = ")"  # `$(…)` and `<(…)` run before the command they stand in; a wrapper comes before its own


@dataclass(frozen=True)
class Branch:
    """A command and those found inside it, in the order they would run."""

    command: Command
    inside: list[Branch] = field(default_factory=list)


def tree(commands: Sequence[Command]) -> list[Branch]:
    """Put each command below the one it was found in; where that is not there, it stands for itself."""
    roots: list[Branch] = []
    open_: list[Branch] = []  # the last branch of each depth
    waiting: dict[int, list[Branch]] = {}  # by depth: found before the command they stand in
    for command in commands:
        branch, depth = Branch(command), len(command.via)
        branch.inside.extend(waiting.pop(depth + 1, []))
        if command.via and command.via[-1].endswith(_INSIDE):
            waiting.setdefault(depth, []).append(branch)
        elif 0 < depth <= len(open_):
            open_[depth - 1].inside.append(branch)
        else:
            roots.append(branch)
        open_[depth:] = [branch]
    return roots + [branch for depth in sorted(waiting) for branch in waiting[depth]]


_PATHS: Final = frozenset({EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE})


def notes(command: Command, around: str | None, cwd: str) -> Iterator[str]:
    """What the written command does not say; its folder where it is not that of what stands around it."""
    if command.via:
        yield f"via {' → '.join(command.via)}"
    if known := _describe_known(command):
        yield f"is {known}"
    if command.cwd != around:
        yield "in a folder that is not certain" if command.cwd is None else f"in {command.cwd}"
    for effect in command.writes:
        yield f"redirects to {target_of(effect, cwd)}"
    if command.more:
        yield "gets more arguments when it runs"
    if command.transparent:
        wraps = "only a wrapper: an allow depends on what it runs"
        yield wraps if command.words else "only sets a variable: needs no allow"


def _describe_known(command: Command) -> str:
    """A command with the values that its variables have; nothing where none is known, or not all are."""
    words = " ".join([word.text for word in command.words])
    return words if "$" in command.written and "$" not in words and "`" not in words else ""


def target_of(effect: Effect, cwd: str) -> str:
    """A path from the folder of the call, or else whole; anything else as it stands."""
    if effect.kind not in _PATHS or not effect.base or effect.base == cwd or effect.target[:1] in {"", "/"}:
        return effect.target or "-"
    return os.path.join(effect.base, effect.target)  # not by Path: `./x` stays as it is written


def knowledge_of(effect: Effect) -> str:
    """Why a target is not the whole truth; nothing where it is."""
    if effect.known:
        return ""
    return "only known when it runs" if effect.target else "no target is named"


def locate_gap(gap: Gap, text: str) -> int | None:
    """Where a gap begins in the whole text; None when its text was made of other texts."""
    start = text.find(gap.text) if gap.text else -1
    if start < 0:
        return _last_line(gap, text)
    # The start of a gap inside another text, as in `bash -c '…'`, is counted from there.
    return gap.start if start <= gap.start < start + len(gap.text) else start


def _last_line(gap: Gap, text: str) -> int | None:
    """A gap about a pipe holds what feeds it and, last, what is fed."""
    fed, _, ending = gap.text.rpartition("\n")
    after = max(text.find(fed), 0) + len(fed)
    match = re.compile(rf"(?<![\w./-]){re.escape(ending.strip())}(?!\w)").search(text, after)
    return match.start() if match and ending.strip() else None


def position(at: int, text: str) -> tuple[int, int]:
    """Line and column, as editors count them."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
