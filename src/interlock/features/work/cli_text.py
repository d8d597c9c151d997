"""The work as people read it: lines and tables that fit their screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.cli.output import columns, printable, screen_width
from interlock.features.work.records import effort_name

Row = dict[str, Any]


def efforts(rows: Sequence[Row]) -> list[str]:
    """Efforts in columns."""
    head = ("EFFORT", "SKILL", "STATE", "PHASE", "HEARTBEAT", "CONTEXT", "BEGUN", "TASK")
    cells = [
        (
            effort_name(row["id"]),
            skill(row),
            str(row["lifecycle"]),
            row["current_phase"] or "-",
            str(row["session"]["heartbeat_counter"]) if row["session"] else "-",
            percent(row["session"]["context_usage"]) if row["session"] else "-",
            minute(row["created_at"]),
            row["task_dir"],
        )
        for row in rows
    ]
    return columns([head, *cells], cut={1: 6, 3: 6, 6: 5, 7: 8}, width=screen_width())


def skill(row: Row) -> str:
    """A skill with its mode."""
    return f"{row['skill']}/{row['mode']}" if row["mode"] else str(row["skill"])


def tasks(rows: Sequence[Row]) -> list[str]:
    """Tasks in columns."""
    head = ("TASK", "STATE", "EFFORTS", "LAST ACTIVE", "TITLE", "FOLDER")
    cells = [
        (
            str(row["id"]),
            str(row["state"]),
            f"{row['active_count']} of {row['effort_count']} active",
            minute(row["last_activity"]),
            row["title"] or "-",
            row["dir_path"],
        )
        for row in rows
    ]
    return columns([head, *cells], cut={3: 5, 4: 6, 5: 10}, width=screen_width())


def sessions(rows: Sequence[Row]) -> list[str]:
    """Sessions in columns."""
    head = ("SESSION", "HOST'S ID", "STATE", "EFFORT", "HEARTBEAT", "CONTEXT", "BEGUN")
    cells = [
        (
            str(row["id"]),
            row["host_session_id"] + (f" / {row['agent_id']}" if row["agent_id"] else ""),
            state(row),
            f"{effort_name(row['effort_id'])} {row['skill'] or ''}".strip() if row["effort_id"] else "-",
            str(row["heartbeat_counter"]),
            percent(row["context_usage"]),
            minute(row["created_at"]),
        )
        for row in rows
    ]
    return columns([head, *cells], cut={1: 8, 2: 5, 3: 6, 6: 5}, width=screen_width())


def state(row: Row) -> str:
    """Whether a session is open, and why it is not."""
    if row["open"]:
        return "open"
    return f"ended ({row['end_reason']})" if row["end_reason"] else "ended"


def agents(rows: Sequence[Row]) -> list[str]:
    """Agents in columns, those first that need a person most."""
    head = ("AGENT", "LABEL", "STATUS", "SINCE", "EFFORT", "PHASE")
    cells = [
        (
            row["agent"],
            row["label"] or "-",
            row["shown"],
            minute(row["status_at"]),
            f"{effort_name(row['effort_id'])} {skill(row)}" if row["effort_id"] else "-",
            row["current_phase"] or "-",
        )
        for row in rows
    ]
    return columns([head, *cells], cut={0: 8, 1: 6, 4: 8, 5: 6}, width=screen_width())


def messages(rows: Sequence[Row], *, brief: bool = False) -> list[str]:
    """What was said, each under who said it; every character of it can be seen."""
    lines: list[str] = []
    for row in rows:
        by = f"{row['role']}, {row['tool_name']}" if row["tool_name"] else row["role"]
        lines.append(printable(f"[{row['id']}] {row['timestamp']} {by}"))
        text = row["content"].splitlines() or [""]
        shown = text[:3] if brief else text
        lines += [f"  | {printable(line)}" for line in shown]
        if len(shown) < len(text):
            lines.append(f"  | … {len(text) - len(shown)} more lines")
    return lines


def facts(title: str, about: Row) -> list[str]:
    """A title, and below it what is known, a line each."""
    known = {name: value for name, value in about.items() if value not in {None, ""}}
    return [printable(title), *(printable(f"{name}: {value}") for name, value in known.items())]


def minute(at: str | None) -> str:
    """`2026-03-01T12:30:05.123Z` as `03-01 12:30` on a screen, whole elsewhere."""
    if at is None:
        return "-"
    return at if screen_width() is None else at[5:16].replace("T", " ")


def percent(usage: float | None) -> str:
    """How full a window is."""
    return "-" if usage is None else f"{usage:.0%}"
