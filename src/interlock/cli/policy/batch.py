"""Many calls through one policy in one process, a line each."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from interlock.cli.call_arguments import moment
from interlock.cli.json_output import print_json
from interlock.cli.policy.decision_text import as_document
from interlock.engine.engine import Engine
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall


class Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One line of a batch."""

    tool: str | None = None
    input: JsonObject = {}
    actor: str | None = None
    event: str | None = None
    prompt: str | None = None
    output: Any = None
    error: str | None = None
    session: str | None = None
    cwd: str | None = None


def run_batch(source: str, engine: Engine, *, actor: str, cwd: str, session: str) -> int:
    """Decide every line, by this actor in this folder and session unless it says another.

    A bad line gets an error in its place and makes the exit code 1.
    """
    failed = 0
    # A runner, and not `decide_sync`: an interrupt waits until the hook under way has been ended.
    with asyncio.Runner() as runner:
        for number, line in enumerate(_lines(source), start=1):
            if not line.strip():
                continue
            try:
                document = as_document(runner.run(engine.decide(_event(line, actor, cwd, session))))
            except (msgspec.DecodeError, UnicodeError, RecursionError, InterlockError) as error:
                failed += 1
                document = {"error": f"line {number}: {error}"}
            print_json(document)
    return 1 if failed else 0


def _lines(source: str) -> Iterator[bytes]:
    if source == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(source).open("rb") as file:
            yield from file
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise InterlockError(f"cannot read `{source}`: {reason}; give a file of JSON lines, or -") from error


def _event(line: bytes, actor: str, cwd: str, session: str) -> Event:
    typed = msgspec.json.decode(line, type=Line)
    if typed.input and not typed.tool:
        raise InterlockError("`input` needs `tool`; name the tool")
    return Event(
        name=moment(typed.event, typed.tool, typed.prompt, typed.error, hint="`tool`, `prompt` or `event`"),
        session_id=typed.session or session,
        cwd=typed.cwd or cwd,
        actor=typed.actor or actor,
        tool=ToolCall(name=typed.tool, input=typed.input) if typed.tool else None,
        tool_output=typed.output,
        error=typed.error,
        prompt=typed.prompt,
    )
