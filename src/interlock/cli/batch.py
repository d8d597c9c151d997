"""Many calls through one policy in one process, a line each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import typer

from interlock.actor import ActorMap
from interlock.cli.explain import as_document
from interlock.engine import Engine
from interlock.errors import InterlockError
from interlock.event import Event
from interlock.moment import EventName, parse_event_name
from interlock.tool import JsonObject, ToolCall


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


def run_batch(source: str, engine: Engine, actors: ActorMap, cwd: str, session: str) -> int:
    """Decide every line; a bad line gets an error in its place and makes the exit code 1."""
    failed = 0
    for number, line in enumerate(_lines(source), start=1):
        if not line.strip():
            continue
        try:
            document = as_document(engine.decide_sync(_event(line, actors, cwd, session)))
        except (msgspec.DecodeError, UnicodeDecodeError, InterlockError) as error:
            failed += 1
            document = {"error": f"line {number}: {error}"}
        typer.echo(msgspec.json.encode(document).decode())
    engine.close()
    return 1 if failed else 0


def _lines(source: str) -> Iterator[bytes]:
    if source == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(source).open("rb") as file:
            yield from file
    except OSError as error:
        raise InterlockError(
            f"cannot read `{source}`: {error.strerror}; give a file of JSON lines, or -"
        ) from error


def _event(line: bytes, actors: ActorMap, cwd: str, session: str) -> Event:
    typed = msgspec.json.decode(line, type=Line)
    if typed.tool is None and typed.prompt is None and typed.event is None:
        raise InterlockError("nothing to decide; give `tool`, `prompt` or `event`")
    default = EventName.PRE_TOOL_USE if typed.tool else EventName.USER_PROMPT_SUBMIT
    return Event(
        name=parse_event_name(typed.event) if typed.event else default,
        session_id=typed.session or session,
        cwd=typed.cwd or cwd,
        actor=typed.actor or actors.of_main(os.environ.get("INTERLOCK_ACTOR")),
        tool=ToolCall(name=typed.tool, input=typed.input) if typed.tool else None,
        tool_output=typed.output,
        error=typed.error,
        prompt=typed.prompt,
    )
