"""Recorded calls in the daemon: what people and Python agents may ask for, and what a new session learns."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, Final

import msgspec

from interlock.daemon.call_intake import ParsedCall
from interlock.daemon.caller_kind import Kind
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Method, Methods
from interlock.daemon.people_only import person_name
from interlock.daemon.row_pruner import RowPruner
from interlock.effects.classification.book import CallBook, CallNote, project_of
from interlock.effects.classification.classify import Repeat
from interlock.effects.tool_fields import commands_of
from interlock.errors import StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.features.receipts.book import ReceiptStore
from interlock.features.receipts.call_table import CallTable
from interlock.features.receipts.records import (
    RecordedCall,
    RedactBody,
    context_of,
    how_to_look,
    message_of,
    record_of,
)
from interlock.ledger.writer import LedgerWriter
from interlock.store.errors import explain

_log: Final = logging.getLogger(__name__)
RECORDING: Final = frozenset({"record_tool_use", "check_bash_side_effects"})
_MOST: Final = 1_000  # rows listed at once
_NOTE: Final = 1_000
_TEXT: Final = 8_000  # characters of a command, or of an error, in the entry of a Python agent's call


class RecordedCalls:
    """The store of calls and the requests that read and change it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        *,
        redact: RedactBody | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._ledger: Final = ledger
        self.table: Final = CallTable(connection, ledger, redact=redact, clock=clock)
        self.book: Final = ReceiptStore(self.table)

    def recover(self) -> None:
        """At the start, mark calls as ended whose response was stored before the last daemon died."""
        try:
            names = self.table.recover()
        except sqlite3.Error as error:
            raise StoreError(f"the recorded calls cannot be read: {explain(error)}") from error
        if names:
            _log.info("%d calls had ended before the last daemon did", len(names))

    def methods(self, person: str, commit: Callable[[], bool]) -> Methods:
        """The requests that people may make."""

        def list_calls(params: dict[str, Any]) -> Any:
            unfinished = params.get("unfinished") is True
            found_calls = self.table.list_calls(unfinished=unfinished, **_selection(params))
            return {"calls": [_row(call) for call in found_calls], "waiting": self.table.waiting(_MOST)}

        def show(params: dict[str, Any]) -> Any:
            call = self.table.get(str(params["id"]))
            receipts = self.table.receipts(call)
            excerpts = [{**msgspec.to_builtins(receipt), "text": receipt.text} for receipt in receipts]
            look = how_to_look(call) if call.unfinished else None
            return {**_row(call), "receipts": excerpts, "look": look}

        def checkpoints(params: dict[str, Any]) -> Any:
            return {"checkpoints": msgspec.to_builtins(self.table.marks(**_selection(params)))}

        def resolve(params: dict[str, Any]) -> Any:
            note = params.get("note")
            text = str(note)[:_NOTE] if note is not None else None
            call = self.table.resolve(str(params["id"]), str(params["answer"]), by=person, note=text)
            if not commit():
                raise ValueError(f"{call.name}: the answer could not be recorded; try again")
            return {"id": call.name, "status": call.status, "answer": params["answer"], "by": person}

        return {
            "receipts.list": list_calls,
            "receipts.show": show,
            "receipts.checkpoints": checkpoints,
            "receipts.resolve": resolve,
        }

    def of_programs(
        self, commit: Callable[[], bool], refusal: Callable[[int], str | None] = lambda _: None
    ) -> Methods:
        """The requests of Python agents, which record and read their calls themselves."""

        def allow(method: Method) -> Method:
            def checked(params: dict[str, Any]) -> Any:
                if (why := refusal(params.get(PEER, 0))) is not None:
                    raise ValueError(why)
                return method(params)

            return checked

        def earlier(params: dict[str, Any]) -> Any:
            note = msgspec.convert(params["note"], CallNote)
            return msgspec.to_builtins(self.table.earlier(self.table.key(note), note))

        def record(params: dict[str, Any]) -> Any:
            self._record(msgspec.convert(params["note"], CallNote))
            if not commit():
                raise ValueError("the call could not be recorded; try again")
            return {"recorded": True}

        def calls(params: dict[str, Any]) -> Any:
            filters = {**_selection(params), "tool": params.get("tool"), "status": params.get("status")}
            found_calls = self.table.list_calls(**filters)
            return msgspec.to_builtins([record_of(call, self.table.receipts(call)) for call in found_calls])

        methods = {"earlier": earlier, "record": record, "calls": calls}
        return {f"receipts.{name}": allow(method) for name, method in methods.items()}

    def _record(self, note: CallNote) -> None:
        """Record one end of a call that a Python agent reports."""
        begins = note.event.name == EventName.PRE_TOOL_USE
        name = None if begins else self.table.open_of(note)
        if begins:
            self.book.prepare(msgspec.structs.replace(note, repeat=Repeat.ALLOW))
        else:
            self.book.close(note)
        self.book.settle(note.event, Decision(vote=Vote.ABSTAIN))
        name = name or self.table.open_of(note)
        tool = note.event.tool
        self._ledger.append(
            "receipt",
            note.event.actor,
            project_of(note.event),
            {
                "receipt": name or "",
                "status": self.table.get(name).status if name else "",
                "tool": tool.name if tool else "",
                "session_id": note.event.session_id,
                "tool_use_id": (tool.use_id if tool else None) or "",
                "side_effect": str(note.call.effect),
                "host": note.event.host,
                **_log_fields(note.event),
            },
        )


class ReceiptService:
    """The feature in the daemon; a new session is told of calls whose end nobody saw."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._calls: Final = RecordedCalls(context.connection, context.ledger, redact=context.redactor.body)
        self._calls.recover()
        self.before_record: Final = self._calls.book.settle
        self.withdraw: Final = self._calls.book.withdraw

    def hook_services(self) -> Mapping[type[Any], object]:
        return {CallBook: self._calls.book}

    def people_methods(self) -> Methods:
        return self._calls.methods(person_name(), self._context.committer.commit)

    def methods(self) -> Methods:
        return self._calls.of_programs(self._context.committer.commit, self._objection)

    def _objection(self, pid: int) -> str | None:
        """Why a process may not record calls itself: the hooks of a host record its agent's calls."""
        agent = self._context.agents.standing(pid).kind is Kind.AGENT
        return "this process belongs to an agent whose hooks record its calls" if agent else None

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Removing calls that ended before the oldest entry the ledger keeps."""
        context, forget = self._context, self._calls.table.forget
        pruner = RowPruner(context.connection, context.ledger, forget, "old calls")
        return (pruner.watch(context.policies.retention),)

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """When a session starts, tell the agent and the person about calls whose end nobody saw."""
        event = opened.event
        if event.name != EventName.SESSION_START or event.extra.get("source") == "compact":
            return decision
        if not any(hook.handler.kind in RECORDING for hook in opened.loaded.engine.hooks):
            return decision
        calls = [
            call
            for call in self._calls.table.unfinished_in(project_of(event))
            if self._has_ended(call, event)
        ]
        if not calls:
            return decision
        return msgspec.structs.replace(
            decision,
            context=(*decision.context, context_of(calls)),
            messages=(*decision.messages, message_of(calls)),
        )

    def _has_ended(self, call: RecordedCall, event: Event) -> bool:
        """Calls of a session that starts, or whose host is gone, can no longer be running."""
        return call.session_id == event.session_id or not self._context.agents.alive(call.session_id)


def _log_fields(event: Event) -> dict[str, Any]:
    """What the log of shell commands shows of a call: its command, or how it ended."""
    if event.name == EventName.PRE_TOOL_USE:
        commands = commands_of(event.tool.input) if event.tool else None
        return {"tool_input": {"command": commands[:_TEXT]}, "cwd": event.cwd} if commands else {}
    error = event.error or ("refused" if event.name == EventName.PERMISSION_DENIED else None)
    took = event.extra.get("duration_ms")
    return {
        **({} if error is None else {"error": error[:_TEXT]}),
        **({} if took is None else {"extra": {"duration_ms": took}}),
    }


def _row(call: RecordedCall) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(call)
    return {**plain, "id": call.name}


def _selection(params: dict[str, Any]) -> dict[str, Any]:
    session, most = params.get("session"), max(1, min(int(params.get("limit") or _MOST), _MOST))
    return {"session": str(session) if session is not None else None, "most": most}
