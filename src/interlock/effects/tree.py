"""The commands of a shell text as a tree: what each was looked through to be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from interlock.effects.command import Command

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
