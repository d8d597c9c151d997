"""A session in figures, as a report that a person or an agent can learn from."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from interlock.features.session_reports.api import Flow

_NOTHING = "- none that were recorded"


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Which session, and when the report was written."""

    event: str
    time: str  # ISO
    session: str
    folder: str
    learner: str  # who turns patterns into something lasting


def report(about: About, flow: Flow) -> str:
    """The whole text, in Markdown."""
    parts = [
        "# Flow Report",
        _fields(about, flow),
        "## Summary",
        "### 1. What was tried?",
        _list(f"- {prompt}" for prompt in flow.prompts),
        "### 2. Which commands were used often?",
        _list(f"- {count}x `{name}`" for name, count in flow.commands),
        _tools(flow),
        "### 3. What went wrong?",
        _list(f"- {one.count}x `{one.call}` failed: {one.error}" for one in flow.failures),
        "Held back by a rule:",
        _list(f"- {one.count}x {one.tool}: {one.reason}" for one in flow.denials),
        "### 4. What could be automated?",
        _list(f"- {count}x `{steps}`" for steps, count in flow.sequences),
        "## Learn from it",
        f"Give this file to `{about.learner}`: which of these steps should be a skill, a script or a rule?",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _fields(about: About, flow: Flow) -> str:
    spent = f"{flow.tool_seconds:.0f} s in tools, {flow.hook_seconds:.1f} s in hooks"
    rows = [
        f"- Event: {about.event}",
        f"- Time: {about.time}",
        f"- Session: {about.session}",
        f"- Working Directory: {about.folder}",
    ]
    if flow.since:
        rows.append(f"- Recorded: {flow.since} to {flow.until}, {spent}")
    if flow.calls:
        rows.append(f"- Calls: {flow.calls}, of which {_total(flow)}; a person was asked {flow.asked} times")
    if not flow.whole:
        rows.append("- The session is longer than this: only its newest part was read")
    return "\n".join(rows)


def _total(flow: Flow) -> str:
    return (
        f"{sum(one.count for one in flow.failures)} failed and "
        f"{sum(one.count for one in flow.denials)} were held back"
    )


def _tools(flow: Flow) -> str:
    told = ", ".join(f"{name} {count}" for name, count in flow.tools)
    return f"Tools: {told}." if told else ""


def _list(rows: Iterable[str]) -> str:
    return "\n".join(rows) or _NOTHING
