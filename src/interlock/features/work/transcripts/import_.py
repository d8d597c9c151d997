"""Keeping what was said in a session, from its transcript, a piece at a time."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from interlock.features.work.event_context import Case
from interlock.features.work.tables.records import Session
from interlock.features.work.transcripts.messages import read_on


def take_in(case: Case[Any], session: Session | None, path: str) -> int:
    """Read on where the last call ended and keep what was said; gives how much."""
    if session is None or session.effort_id is None or not path:
        return 0  # what is said in a session that is at work on nothing is nobody's business
    sessions, offset = case.work.sessions, session.transcript_offset
    if session.transcript_path != path:
        offset = 0
        sessions.set_transcript(session.id, path)
    found = read_on(path, offset)
    redact = case.means.redact
    kept = ((one.role, redact(one.content), one.tool_name, one.timestamp) for one in found.said)
    count = case.work.messages.add_many(session.id, kept)
    if found.offset != offset:
        sessions.set_offset(session.id, found.offset)
    return count


def transcript_of(case: Case[Any]) -> str:
    """The transcript of whoever acts; a sub-agent's lies in a folder beside that of its parent."""
    path: str = case.given.transcript_path
    agent_id: str | None = case.given.agent_id
    if not path or agent_id is None:
        return path
    if "/" in agent_id or PurePath(path).name in {"", ".."}:
        return ""
    return str(PurePath(path).with_suffix("") / "subagents" / f"agent-{agent_id}.jsonl")
