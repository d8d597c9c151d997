"""One effort, task or session as people read it, with all that belongs to it."""

from __future__ import annotations

from typing import Any

from interlock.cli.output import printable
from interlock.features.work.cli_text import efforts, facts, messages, minute, percent, skill, state
from interlock.features.work.records import effort_name

Row = dict[str, Any]


def effort_lines(found: Row) -> list[str]:
    """An effort with its phases, sessions and files."""
    about = {
        "task": f"{found['task']['id']}, {found['task_dir']}",
        "title": found["task"]["title"],
        "phase": found["current_phase"],
        "the skill's file": found["skill_problem"],
        "begun": found["created_at"],
        "taken up again": found["resumed_at"],
        "finished": found["finished_at"],
        "directives": ", ".join(found["discovered_directives"]),
        "settings": ", ".join(
            f"{name}={value}" for name, value in found["metadata"].items() if name != "phases"
        ),
    }
    lines = facts(f"effort {effort_name(found['id'])}: {skill(found)} ({found['lifecycle']})", about)
    lines += _phases(found)
    lines += [f"  {one}" for one in _sessions(found["sessions"])]
    lines += [printable(f"file: {one['path']} ({one['size']:,} bytes)") for one in found["artifacts"]]
    return lines


def _phases(found: Row) -> list[str]:
    entered = [f"{minute(one['created_at'])} {one['phase_label']}{_why(one)}" for one in found["history"]]
    lines = [printable(f"phases: {', '.join(found['phases'])}")] if found["phases"] else []
    return lines + [printable(f"  entered {one}") for one in entered]


def _why(change: Row) -> str:
    """What a change of phase was kept with."""
    said = [change["reason"], change["proof"] and f"proof: {change['proof']}"]
    return f" ({'; '.join(filter(None, said))})" if any(said) else ""


def _sessions(rows: list[Row]) -> list[str]:
    return [printable(_session(row)) for row in rows]


def _session(row: Row) -> str:
    who = f"session {row['id']}: {row['host_session_id']}, {state(row)}"
    how = f"heartbeat {row['heartbeat_counter']}, context {percent(row['context_usage'])}"
    return f"{who}, {how}" + (", left a payload" if row["dehydrated"] else "")


def task_lines(found: Row) -> list[str]:
    """A task with its efforts."""
    about = {
        "folder": found["dir_path"],
        "title": found["title"],
        "description": found["description"],
        "keywords": found["keywords"],
        "begun": found["created_at"],
        "last active": found["last_activity"],
    }
    rows = efforts(found["efforts"]) if found["efforts"] else ["no efforts yet"]
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
        "goes on from": f"session {found['prev_session_id']}" if found["prev_session_id"] else None,
        "begun": found["created_at"],
        "ended": found["ended_at"],
        "heartbeat": f"{found['heartbeat_counter']} calls without a log entry",
        "context": percent(found["context_usage"]),
        "loaded files": ", ".join(found["loaded_files"]),
        "transcript": found["transcript_path"],
        "restart prompt": found["restart_prompt"],
    }
    lines = facts(f"session {found['id']} ({state(found)})", about)
    lines += _left_behind(found["dehydration_payload"])
    total, shown = found["message_count"], len(found["messages"])
    lines.append(f"messages: {total}" + (f", the last {shown}:" if shown else ""))
    return lines + messages(found["messages"], brief=True)


def _left_behind(payload: Row | None) -> list[str]:
    if payload is None:
        return []
    said = [
        printable(f"  {name}: {line}")
        for name, value in payload.items()
        for line in (value if isinstance(value, list) else str(value).splitlines())
    ]
    return ["left for the next session:", *said]
