"""What a sub-agent should have left behind, what is there of it, and how that is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.finish.artifact_files import Found, fault_of, files_of

_Text = Annotated[str, Meta(min_length=1)]
_SHOWN: Final = 5


class Expected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What some sub-agents leave behind."""

    files: Annotated[
        tuple[_Text, ...], Meta(description="Patterns; a file for each of them must be there, and whole.")
    ]
    agents: Annotated[tuple[_Text, ...], Meta(description="Kinds of sub-agents, as globs.")] = ("*",)
    partial: Annotated[
        tuple[_Text, ...], Meta(description="Patterns of files that show the work was begun.")
    ] = ()
    next: Annotated[str, Meta(description="What the main agent does with them.")] = ""
    leftovers: Annotated[
        tuple[_Text, ...], Meta(description="Patterns of files that should be gone by then.")
    ] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was found when a sub-agent ended."""

    found: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()  # sentences
    partial: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()

    def told(self, kind: str, expected: Expected) -> str:
        """In words for the main agent."""
        if not self.lacks:
            said = f"Report found: {_listed(self.found)} ({kind}). {expected.next}".strip()
        elif self.partial:
            said = f"Retry required: {kind} ended half-way; {'; '.join(self.lacks)}. "
            said += f"There is only {_listed(self.partial)}."
        else:
            said = f"Retry required: {kind} ended without its artifacts; {'; '.join(self.lacks)}."
        return said + (f" Left behind: {_listed(self.leftovers)}; remove it." if self.leftovers else "")


def report_of(expected: Expected, project: str, since: float) -> Report:
    """Look for what is expected among the files that changed since."""
    found: list[str] = []
    lacks: list[str] = []
    for pattern in expected.files:
        there = files_of(project, pattern)
        fresh = [one for one in there if one.changed >= since]
        faults = [(one, fault_of(one)) for one in fresh]
        whole = [one.name for one, fault in faults if fault is None]
        found += whole
        if not whole:
            lacks.append(_lack(pattern, there, [(one, str(fault)) for one, fault in faults]))
    return Report(
        found=tuple(found),
        lacks=tuple(lacks),
        partial=_names(project, expected.partial, since) if lacks else (),
        leftovers=_names(project, expected.leftovers, 0.0),
    )


def _lack(pattern: str, there: Sequence[Found], faults: Sequence[tuple[Found, str]]) -> str:
    if faults:
        return ", ".join(f"`{one.name}` {fault}" for one, fault in faults[:_SHOWN])
    if there:
        return f"`{there[0].name}` is from before it began"
    return f"there is no `{pattern}`"


def _names(project: str, patterns: Sequence[str], since: float) -> tuple[str, ...]:
    return tuple(
        one.name for pattern in patterns for one in files_of(project, pattern) if one.changed >= since
    )


def sent_back(report: Report) -> str:
    """In words for the sub-agent."""
    parts = [f"Your work is not done: {'; '.join(report.lacks)}."]
    if report.partial:
        parts.append(f"Finish it from {_listed(report.partial)}.")
    if report.leftovers:
        parts.append(f"Remove {_listed(report.leftovers)}.")
    return " ".join([*parts, "Write what is missing, then end."])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:_SHOWN]) + more
