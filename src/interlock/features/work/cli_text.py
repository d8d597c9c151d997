"""Sessions, efforts, tasks and agents as people read them: in tables, and one thing in detail."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from interlock.cli.daemon_client import Say, answered, place
from interlock.cli.output import printable, screen_width, table
from interlock.cli.people_only import mark_in
from interlock.errors import InterlockError
from interlock.features.work.records import effort_name

Row = dict[str, Any]
ToLines = Callable[[Sequence[Row]], list[str]]


def efforts(rows: Sequence[Row]) -> list[str]:
    head = ("EFFORT", "SKILL", "STATE", "PHASE", "HEARTBEAT", "CONTEXT", "STARTED", "TASK")
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
    return table(head, cells, cut={1: 6, 3: 6, 6: 5, 7: 8})


def skill(row: Row) -> str:
    return f"{row['skill']}/{row['mode']}" if row["mode"] else str(row["skill"])


def tasks(rows: Sequence[Row]) -> list[str]:
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
    return table(head, cells, cut={3: 5, 4: 6, 5: 10})


def sessions(rows: Sequence[Row]) -> list[str]:
    head = ("SESSION", "HOST'S ID", "STATE", "EFFORT", "HEARTBEAT", "CONTEXT", "STARTED")
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
    return table(head, cells, cut={1: 8, 2: 5, 3: 6, 6: 5})


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
    return table(head, cells, cut={0: 8, 1: 6, 4: 8, 5: 6})


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
    return "-" if usage is None else f"{usage:.0%}"


def effort_lines(found: Row) -> list[str]:
    about = {
        "task": f"{found['task']['id']}, {found['task_dir']}",
        "title": found["task"]["title"],
        "phase": found["current_phase"],
        "the skill's file": found["skill_problem"],
        "started": found["created_at"],
        "resumed": found["resumed_at"],
        "finished": found["finished_at"],
        "directives": ", ".join(found["discovered_directives"]),
        "settings": ", ".join(
            f"{name}={value}" for name, value in found["metadata"].items() if name != "phases"
        ),
    }
    lines = facts(f"effort {effort_name(found['id'])}: {skill(found)} ({found['lifecycle']})", about)
    if found["phases"]:
        lines.append(printable(f"phases: {', '.join(found['phases'])}"))
    for one in found["history"]:
        lines.append(printable(f"  entered {minute(one['created_at'])} {one['phase_label']}{_why(one)}"))
    lines += [printable(f"  {_session(one)}") for one in found["sessions"]]
    lines += [printable(f"file: {one['path']} ({one['size']:,} bytes)") for one in found["artifacts"]]
    return lines


def _why(change: Row) -> str:
    said = [change["reason"], change["proof"] and f"proof: {change['proof']}"]
    return f" ({'; '.join(filter(None, said))})" if any(said) else ""


def _session(row: Row) -> str:
    who = f"session {row['id']}: {row['host_session_id']}, {state(row)}"
    how = f"heartbeat {row['heartbeat_counter']}, context {percent(row['context_usage'])}"
    return f"{who}, {how}" + (", left a handover" if row["dehydrated"] else "")


def task_lines(found: Row) -> list[str]:
    about = {
        "folder": found["dir_path"],
        "title": found["title"],
        "description": found["description"],
        "keywords": found["keywords"],
        "started": found["created_at"],
        "last active": found["last_activity"],
    }
    rows = efforts(found["efforts"]) if found["efforts"] else ["No efforts yet."]
    return [*facts(f"task {found['id']} ({found['state']})", about), *rows]


def session_lines(found: Row) -> list[str]:
    """A session with its effort, what it left behind, and the last that was said."""
    effort = found["effort"]
    about = {
        "host": f"{found['host']}, {found['host_session_id']}",
        "sub-agent": found["agent_id"],
        "effort": f"{effort_name(effort['id'])} {skill(effort)}" if effort else None,
        "phase": effort["current_phase"] if effort else None,
        "task": effort["task_dir"] if effort else None,
        "continues": f"session {found['prev_session_id']}" if found["prev_session_id"] else None,
        "started": found["created_at"],
        "ended": found["ended_at"],
        "heartbeat": f"{found['heartbeat_counter']} calls without a log entry",
        "context": percent(found["context_usage"]),
        "loaded files": ", ".join(found["loaded_files"]),
        "transcript": found["transcript_path"],
        "restart prompt": found["restart_prompt"],
    }
    lines = facts(f"session {found['id']} ({state(found)})", about)
    if found["dehydration_payload"] is not None:
        lines.append("left for the next session:")
    for name, value in (found["dehydration_payload"] or {}).items():
        parts = value if isinstance(value, list) else str(value).splitlines()
        lines += [printable(f"  {name}: {part}") for part in parts]
    total, shown = found["message_count"], len(found["messages"])
    lines.append(f"messages: {total}" + (f", the last {shown}:" if shown else ""))
    return lines + messages(found["messages"], brief=True)


JsonLines = Annotated[bool, typer.Option("--json", help="Print JSON, one a line.")]
Effort = Annotated[
    str | None,
    typer.Option("--effort", metavar="EFFORT", help="An effort other than the session's, such as e12."),
]
EffortArgument = Annotated[
    str | None, typer.Argument(metavar="EFFORT", help="Its number, such as e12; default: the session's own.")
]
ForSession = Annotated[str | None, typer.Option("--session", metavar="ID", help="The session, for people.")]
ForAgent = Annotated[str | None, typer.Option("--agent", metavar="NAME", help="The agent, for people.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Show at most this many.")]

_MOST: Final = 1 << 20  # characters read from standard input


def ask_work(
    method: str, params: Mapping[str, Any], say: Say, *, as_json: bool, rows: str | None = None
) -> int:
    """Send a request and print what came of it; exit 1 when it was refused."""
    given = {name: value for name, value in params.items() if value is not None}
    who = {"mark": mark_in(os.environ), "agent_id": os.environ.get("AGENT_ID")}
    return answered(f"work.{method}", {**place(), **who, **given}, say, as_json=as_json, rows=rows)


def list_work(
    method: str, params: Mapping[str, Any], rows: str, lines: ToLines, none: str, *, as_json: bool
) -> int:
    """Ask for several things and print them, or that there are none."""

    def say(found: Row) -> str:
        return "\n".join(lines(found[rows])) if found[rows] else none

    return ask_work(method, params, say, as_json=as_json, rows=rows)


def typed_or_piped(text: str | None, missing: str) -> str:
    """What was typed, or standard input for `-` and for nothing; raise where nobody says anything."""
    if text is None and sys.stdin.isatty():
        raise InterlockError(missing)
    typed = text if text != "-" else None
    found = sys.stdin.buffer.read(_MOST).decode("utf-8", "replace") if typed is None else typed
    if not found.strip():
        raise InterlockError(missing)
    return found
