"""Summarises what a session did, from the decisions in the ledger."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from typing import Any, Final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.effects.command import INLINE
from interlock.effects.reading import read_call
from interlock.events.names import EventName
from interlock.events.text import one_line
from interlock.events.tool import JsonObject, SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.store.database import open_to_read


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that one rule denied for one reason."""

    tool: str
    reason: str
    count: int


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that failed with one error."""

    call: str  # the tool and, in short, its input
    error: str
    count: int


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """One session in figures; each list starts with the most frequent and is cut short."""

    since: str | None = None  # the time of its first entry
    until: str | None = None
    calls: int = 0
    prompts: tuple[str, ...] = ()  # in order, cut short
    tools: tuple[tuple[str, int], ...] = ()
    commands: tuple[tuple[str, int], ...] = ()  # a program and its subcommand, and how often
    sequences: tuple[tuple[str, int], ...] = ()  # commands that followed each other more than once
    failures: tuple[Failure, ...] = ()
    denials: tuple[Denial, ...] = ()
    asked: int = 0  # times a person was asked
    hook_seconds: float = 0.0  # spent in hooks
    tool_seconds: float = 0.0  # spent in tools, where the host reports it
    whole: bool = True  # False: only the newest part was read


_SHOWN: Final = 160
_MOST: Final = 10  # rows of each list
_PROMPTS: Final = 20
# Programs whose first argument says what they do.
_WITH_VERB: Final = frozenset(
    "git gh npm pnpm yarn bun npx node uv pip poetry python python3 cargo go docker kubectl terraform make "
    "just task brew apt systemctl".split()
)


class _Row(msgspec.Struct, frozen=True):
    """The part of a decision that matters here."""

    event: str = ""
    decision: str = ""
    duration_ms: float = 0.0
    tool: str | None = None
    tool_input: Any = None
    prompt: str | None = None
    error: str | None = None
    reason: str | None = None
    extra: Any = None


_BEFORE: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})


def flow_of(entries: Iterable[Entry], *, whole: bool = True) -> Flow:
    """Summarise a session from its entries, the oldest first."""
    found = list(entries)
    rows = [row for entry in found if (row := entry.body_as(_Row)) is not None]
    made = [row for row in rows if row.event == EventName.PRE_TOOL_USE]
    ran = [name for row in made if row.decision != "deny" for name in _commands(row)]
    denied = [row for row in rows if row.decision == "deny" and row.event in _BEFORE]
    failed = [row for row in rows if row.event == EventName.POST_TOOL_USE_FAILURE]
    pairs = (f"{one}; {two}" for one, two in pairwise(ran) if one != two)
    prompts = [_line(row.prompt) for row in rows if row.event == EventName.USER_PROMPT_SUBMIT and row.prompt]
    return Flow(
        since=found[0].ts if found else None,
        until=found[-1].ts if found else None,
        calls=len(made),
        prompts=tuple(prompts[-_PROMPTS:]),
        tools=_most(row.tool for row in made if row.tool),
        commands=_most(ran),
        sequences=tuple((text, count) for text, count in _most(pairs) if count > 1),
        failures=tuple(
            Failure(call=call, error=error, count=count)
            for (call, error), count in _most((_call(row), _line(row.error)) for row in failed)
        ),
        denials=tuple(
            Denial(tool=tool, reason=reason, count=count)
            for (tool, reason), count in _most((row.tool or "?", _line(row.reason)) for row in denied)
        ),
        asked=sum(row.decision == "ask" for row in rows if row.event in _BEFORE),
        hook_seconds=round(sum(row.duration_ms for row in rows) / 1000, 3),
        tool_seconds=round(sum(map(_tool_ms, rows)) / 1000, 3),
        whole=whole,
    )


def _most(values: Iterable[Any]) -> tuple[tuple[Any, int], ...]:
    return tuple(Counter(values).most_common(_MOST))


def _commands(row: _Row) -> Iterator[str]:
    """Yield the programs with their subcommands, as far as they can be read."""
    tool = _tool(row)
    spec = STANDARD_TOOLS.spec(tool.name) if tool else None
    if tool is None or spec is None or spec.kind is not SubjectKind.SHELL:
        return
    text = tool.input.get(spec.main or "")
    if not isinstance(text, str) or len(text) > INLINE:
        return
    for command in read_call(tool, spec, "").commands:
        words = [word.text for word in command.words]
        if not words or not words[0] or command.transparent:
            continue
        name = words[0].rpartition("/")[2]
        operands = (word for word in words[1:] if not word.startswith("-"))
        verb = next(operands, "") if name in _WITH_VERB else ""
        yield _line(f"{name} {verb}".strip())


def _tool(row: _Row) -> ToolCall | None:
    given: Any = row.tool_input
    return ToolCall(name=row.tool, input=given) if row.tool and isinstance(given, dict) else None


def _call(row: _Row) -> str:
    tool = _tool(row)
    spec = STANDARD_TOOLS.spec(tool.name) if tool else None
    main = tool.input.get(spec.main) if tool and spec and spec.main else None
    return _line(f"{row.tool} {main}" if isinstance(main, str) else row.tool or "?").replace("`", "'")


def _tool_ms(row: _Row) -> float:
    extra: JsonObject = row.extra if isinstance(row.extra, dict) else {}
    found = extra.get("duration_ms") if row.event.startswith("PostToolUse") else None
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else 0.0


def _line(text: str | None) -> str:
    return one_line(text or "", _SHOWN)


_PAGE: Final = 500
_MOST_ENTRIES: Final = 5_000  # entries of one session: a day of an agent at work
_SETTLED: Final = 0.06  # seconds until the newest entries are on disk


FOLDER: Final = "flow-reports"  # in the state folder


class SessionReports:
    """What sessions did; read in a thread, since a session can be long."""

    def __init__(self, context: DaemonContext) -> None:
        self._database: Final = context.places.database
        self.folder: Final = str(context.places.state / FOLDER)  # where reports go unless an option says so

    def hook_services(self) -> Mapping[type[Any], object]:
        return {SessionReports: self}

    async def read_flow(self, session_id: str) -> Flow:
        await asyncio.sleep(_SETTLED)
        return await asyncio.to_thread(self._read, session_id)

    def _read(self, session_id: str) -> Flow:
        wanted = Filter(session=session_id, op="decision")
        found: list[Entry] = []
        with closing(open_to_read(self._database)) as connection:
            reader = LedgerReader(connection)
            page = reader.page(wanted, limit=_PAGE)
            while page and len(found) < _MOST_ENTRIES:
                found += page
                page = reader.page(wanted, limit=_PAGE, before=page[-1].seq)
        return flow_of(reversed(found), whole=not page)
