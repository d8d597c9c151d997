"""Passes the decisions that the daemon reports to every browser that watches, as server-sent events."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import quote

import msgspec
from starlette.responses import StreamingResponse

from interlock.ledger.entry import Entry
from interlock.web.decision_words import NEEDS_APPROVAL, Evidence, Fired, call_text, decision_word, fired_of
from interlock.web.queries.calls import Calls
from interlock.web.rendering import VisibleText, make_visible

if TYPE_CHECKING:
    from interlock.web.auth.guard import Visit


_SHORT: Final = 8  # characters of a session's id
_LONGEST_ID: Final = 1_000
_LONGEST_TEXT: Final = 300  # of a call or a reason; the session's page shows all of it
_HOOKS: Final = 8  # per event; its own page shows all of them
_STRICT: Final = {"allow": 1, "ask": 2, NEEDS_APPROVAL: 3, "deny": 4}


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True):
    """One event on the Live page; every text has its invisible characters written out."""

    ts: str
    path: str  # the page of this event
    group: str  # its call; empty if it belongs to none
    session: str
    session_short: str
    session_path: str  # its page, made of the raw id
    event: str
    actor: str
    tool: str
    call: str  # its main argument, or all of them
    decision: str  # or `needs approval`
    reason: str
    approval: str
    hooks: tuple[Fired, ...]
    more: int  # hooks left out


class CallRow(msgspec.Struct, frozen=True, kw_only=True):
    """The events of one call, or an event without a call."""

    lines: tuple[DecisionLine, ...]  # in the order they came

    @property
    def first(self) -> DecisionLine:
        return self.lines[0]

    @property
    def decision(self) -> DecisionLine:
        """The strictest one."""
        return max(self.lines, key=lambda line: _STRICT.get(line.decision, 0))


def rows_of(lines: Sequence[DecisionLine]) -> list[CallRow]:
    """Group lines by call, the newest call first."""
    rows: dict[str, list[DecisionLine]] = {}
    for place, line in enumerate(lines):
        rows.setdefault(line.group or str(place), []).append(line)
    return [CallRow(lines=tuple(found)) for found in reversed(rows.values())]


def line_of(summary: dict[str, Any], calls: Calls) -> DecisionLine:
    """The line of a decision that the daemon reports."""
    evidence = [(one["hook"], one["seq"], one["id"]) for one in summary["evidence"]]
    ts = datetime.fromtimestamp(summary["ts"], UTC).isoformat(timespec="milliseconds")
    return _line(summary, calls, evidence, ts=ts, path=f"/calls/{summary['id']}")


def line_from(entry: Entry, calls: Calls, evidence: Evidence = ()) -> DecisionLine:
    """The line of a decision in the ledger."""
    body = entry.body
    summary = {**body, "actor": entry.actor, "input": body.get("tool_input")}
    return _line(summary, calls, evidence, ts=entry.ts, path=f"/calls/{entry.seq}")


def _line(summary: dict[str, Any], calls: Calls, evidence: Evidence, *, ts: str, path: str) -> DecisionLine:
    texts = {name: str(summary.get(name) or "") for name in ("event", "session_id")}
    session, tool = texts["session_id"], _short_field(summary, "tool")
    fired = fired_of(summary.get("trace"), evidence)
    link = f"/session?id={quote(session, safe='')}" if len(session) <= _LONGEST_ID else "/sessions"
    return DecisionLine(
        ts=ts,
        path=path,
        group=calls.name(texts["event"], summary),
        session=_short_field(summary, "session_id"),
        session_short=make_visible(session[:_SHORT]),
        session_path=VisibleText(link),
        event=_short_field(summary, "event"),
        actor=_short_field(summary, "actor"),
        tool=tool,
        call=_short(call_text(tool, summary.get("input"))) or _short_field(summary, "prompt"),
        decision=_short(decision_word(summary.get("decision"), summary)),
        reason=_short_field(summary, "reason"),
        approval=_short_field(summary, "approval"),
        hooks=tuple(msgspec.structs.replace(one, hook=_short(one.hook)) for one in fired[:_HOOKS]),
        more=max(len(fired) - _HOOKS, 0),
    )


def _short_field(summary: dict[str, Any], name: str) -> VisibleText:
    return _short(str(summary.get(name) or ""))


def _short(text: str) -> VisibleText:
    # Cut first: converting a megabyte for one line would delay every request.
    cut = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
    return make_visible(cut.replace("\n", " ⏎ "))


_QUIET_SECONDS: Final = 15.0  # until a sign of life is sent; sending shows whether the browser has left
_ALIVE: Final = b": alive\n\n"


def event(kind: str, data: object) -> bytes:
    """One event; JSON contains no line break, so one line is enough."""
    written = msgspec.json.encode(data, enc_hook=str)  # `enc_hook` for `VisibleText`, which is no plain `str`
    return b"event: " + kind.encode() + b"\ndata: " + written + b"\n\n"


def stream(visit: Visit, pieces: AsyncGenerator[bytes]) -> StreamingResponse:
    """Send pieces as they come; an empty one only gives time to check the login."""
    return StreamingResponse(_while_logged_in(visit, pieces), media_type="text/event-stream")


async def _while_logged_in(visit: Visit, pieces: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    logins, session = visit.site.logins, visit.session
    sent = time.monotonic()
    yield b"retry: 2000\n\n"
    async with aclosing(pieces):  # so that they end as soon as the browser leaves
        async for piece in pieces:
            if session is None or not logins.stands(session):
                return
            if piece:
                yield piece
            elif time.monotonic() - sent > _QUIET_SECONDS:
                yield _ALIVE
            else:
                continue
            sent = time.monotonic()


_log: Final = logging.getLogger(__name__)
_SUBSCRIBE: Final = b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n'
_LONGEST_LINE: Final = 64 * 1024 * 1024  # a decision includes its whole input
_KEPT: Final = 500  # lines for a slow browser; then the oldest are dropped and counted
_GATHER_SECONDS: Final = 0.1  # decisions within this time are sent together
_AGAIN_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 0.5


class _Watcher:
    """The lines that wait for one browser."""

    def __init__(self) -> None:
        self.lines: Final[deque[bytes]] = deque(maxlen=_KEPT)
        self.missed = 0
        self.woken: Final = asyncio.Event()

    def give(self, line: bytes) -> None:
        self.missed += len(self.lines) == _KEPT
        self.lines.append(line)
        self.woken.set()

    def take(self) -> bytes:
        """Everything since the last call, as events."""
        self.woken.clear()
        lines, missed = list(self.lines), self.missed
        self.lines.clear()
        self.missed = 0
        return (event("missed", missed) if missed else b"") + b"".join(lines)


@final
class Live:
    """Listens to the daemon while at least one browser watches."""

    def __init__(self, socket: Path) -> None:
        self._socket: Final = socket
        self._watchers: Final[set[_Watcher]] = set()
        self._calls: Final = Calls()
        self._listening: asyncio.Task[None] | None = None
        self._following = False  # the daemon has confirmed the subscription

    async def follow(self) -> AsyncGenerator[bytes]:
        """Events for one browser; an empty piece if nothing happened for a while."""
        watcher = _Watcher()
        self._watchers.add(watcher)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.get_running_loop().create_task(self._listen())
        shown = False
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_IDLE_SECONDS):
                        await watcher.woken.wait()
                    await asyncio.sleep(_GATHER_SECONDS)
                changed = shown != self._following
                shown = self._following
                yield (event("following", shown) if changed else b"") + watcher.take()
        finally:
            self._watchers.discard(watcher)
            if not self._watchers and self._listening is not None:
                self._listening.cancel()
                self._listening, self._following = None, False

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except Exception as error:  # noqa: BLE001 - a bug in one line must not stop all browsers
                _log.warning("decisions cannot be followed", exc_info=error)
            self._set_following(now=False)
            await asyncio.sleep(_AGAIN_SECONDS)

    def _set_following(self, *, now: bool) -> None:
        """Tell the pages whether they receive decisions."""
        self._following = now
        for watcher in self._watchers:
            watcher.woken.set()

    async def _hear(self) -> None:
        reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=_LONGEST_LINE)
        try:
            writer.write(_SUBSCRIBE)
            while line := await reader.readline():
                note: dict[str, Any] = msgspec.json.decode(line)
                if note.get("method") == "decision":
                    sent = event("decision", line_of(note["params"], self._calls))
                    for watcher in self._watchers:
                        watcher.give(sent)
                elif "result" in note:
                    self._set_following(now=True)
        finally:
            writer.close()
