"""Sessions that a person has cancelled: their calls are denied and their turns may end."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Any, Final, final

import msgspec

from interlock.daemon.jsonrpc import Methods
from interlock.errors import StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import CallView, Hook, Layer, Source
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.verdict import NO_OPINION, Verdict, Vote, deny
from interlock.ledger.writer import LedgerWriter
from interlock.patterns.matcher import Everything
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

NAME: Final = "interlock/cancellation"
_SECONDS: Final = 10.0


EVERY: Final = "*"
_KEPT: Final = 30 * 86_400.0  # seconds; a session that is taken up after that starts again
_LET_GO: Final = "let_go"


class Cancellation(msgspec.Struct, frozen=True, kw_only=True):
    """A person's word that a session shall do nothing more."""

    session_id: str  # `*`: every session
    state: str
    at: str
    by: str
    reason: str | None = None
    hold: bool = False  # until a person takes it back; else the next prompt does


class CancellationsInStore:
    """All of them are in memory: every tool call asks, and there are few."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements("cancellations")
        self._run("forget", timestamp(clock() - _KEPT))
        names = Cancellation.__struct_fields__
        found = (dict(zip(names, row, strict=True)) for row in self._run("all").fetchall())
        self._known: Final = {
            row["session_id"]: Cancellation(**{**row, "hold": bool(row["hold"])}) for row in found
        }

    def find(self, session: str) -> Cancellation | None:
        """What stands against a session, None when nothing does."""
        if not self._known:
            return None
        own = self._known.get(session)
        if own is None:
            return self._known.get(EVERY)
        return None if own.state == _LET_GO else own

    @property
    def all(self) -> list[Cancellation]:
        """Those in force, in the order they were asked for."""
        found = (one for one in self._known.values() if one.state != _LET_GO)
        return sorted(found, key=lambda one: one.at)

    def cancel(self, session: str, by: str, reason: str | None, *, hold: bool) -> Cancellation:
        """A person cancels a session, or every one."""
        made = self._make(session, by, state="cancelled", reason=reason, hold=hold)
        if session == EVERY:
            self._run("take_back")
            for name in [name for name, one in self._known.items() if one.state == _LET_GO]:
                del self._known[name]
        self._put(made)
        return made

    def lift(self, session: str, by: str) -> bool:
        """A session, or every one, may go on; False when nothing stood against it."""
        if session == EVERY:
            stood = bool(self.all)
            self._run("clear")
            self._known.clear()
            return stood
        if self.find(session) is None:
            return False
        if EVERY in self._known:
            self._put(self._make(session, by, state=_LET_GO))
        else:
            self._run("remove", session)
            del self._known[session]
        return True

    def known(self, begin: str) -> list[str]:
        """The sessions the ledger knows whose names begin so; the whole name stands for itself."""
        values = {"begin": begin, "end": f"{begin}\uffff"}
        try:
            rows = self._connection.execute(self._sql["known"], values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the sessions cannot be read: {explain(error)}") from error
        found = [str(name) for (name,) in rows]
        return [begin] if begin in found else found

    def _make(
        self, session: str, by: str, *, state: str, reason: str | None = None, hold: bool = False
    ) -> Cancellation:
        at = timestamp(self._clock())
        return Cancellation(session_id=session, state=state, at=at, by=by, reason=reason, hold=hold)

    def _put(self, one: Cancellation) -> None:
        self._run("put", one.session_id, one.state, one.at, one.by, one.reason, int(one.hold))
        self._known[one.session_id] = one

    def _run(self, name: str, *values: str | int | None) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._sql[name], values)
        except sqlite3.Error as error:
            raise StoreError(f"cannot remember that a session is cancelled: {explain(error)}") from error


_LONGEST: Final = 500
_STOPS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP})
_OP: Final = "cancellation"


class CancelledSessions:
    """Asked before every tool call; a prompt of its person lets a session go on."""

    def __init__(self, store: CancellationsInStore, ledger: LedgerWriter) -> None:
        self._store: Final = store
        self._ledger: Final = ledger

    def objection(self, session_id: str) -> str | None:
        """Why a session may make no more calls, None when it may."""
        found = self._store.find(session_id)
        if found is None:
            return None
        why = f": {found.reason}" if found.reason else ""
        return (
            f"{found.by} cancelled this session at {found.at}{why}. End your turn now and say how far you "
            "got."
        )

    def settled(self, event: Event, decision: Decision) -> Decision:
        """Let a cancelled session end its turn, and one that got another prompt go on."""
        if event.name in _STOPS and decision.vote is Vote.DENY:
            if self._store.find(event.session_id) is None:
                return decision
            note = f"`{decision.decided_by}` asked to continue, but the session is cancelled"
            return decision.let_be(note)
        if event.name == EventName.USER_PROMPT_SUBMIT and decision.vote is not Vote.DENY:
            self._prompted(event)
        return decision

    def _prompted(self, event: Event) -> None:
        found = self._store.find(event.session_id)
        if found is not None and not found.hold and event.agent_id is None:
            self._store.lift(event.session_id, event.actor)
            self._note("prompted", event.session_id, "system")

    def methods(self, person: str, commit: Callable[[], bool]) -> Methods:
        """What people may ask for."""

        def cancel(params: dict[str, Any]) -> Any:
            reason = params.get("reason")
            text = str(reason)[:_LONGEST] if reason else None
            hold = params.get("hold") is True
            made = self._store.cancel(self._session_of(params), person, text, hold=hold)
            self._note("cancelled", made.session_id, person, made)
            return _lasting(commit, msgspec.to_builtins(made))

        def resume(params: dict[str, Any]) -> Any:
            session = self._session_of(params)
            if not self._store.lift(session, person):
                what = "no session is cancelled" if session == EVERY else f"`{session}` is not cancelled"
                raise ValueError(f"{what}; see `interlock session cancelled`")
            self._note("resumed", session, person)
            return _lasting(commit, {"session_id": session, "by": person})

        def listed(_: dict[str, Any]) -> Any:
            return {"cancelled": [msgspec.to_builtins(one) for one in self._store.all]}

        return {"session.cancel": cancel, "session.resume": resume, "session.cancelled": listed}

    def _session_of(self, params: dict[str, Any]) -> str:
        """The session that is meant: every one, or the only one whose name begins so."""
        if params.get("all") is True:
            return EVERY
        begin = str(params.get("session") or "")
        found = self._store.known(begin) if begin and begin != EVERY else []
        cancelled = [one.session_id for one in self._store.all if begin and one.session_id == begin]
        names = cancelled or found
        if len(names) == 1:
            return names[0]
        if names:
            raise ValueError(
                f"several sessions begin with `{begin}` ({', '.join(names)}); type more of the id"
            )
        raise ValueError(f"no session `{begin}` is recorded; see `interlock ledger list`")

    def _note(self, action: str, session: str, by: str, made: Cancellation | None = None) -> None:
        whom: dict[str, object] = {"all": True} if session == EVERY else {"session_id": session}
        body: dict[str, object] = {"action": action, **whom, "by": by}
        if made is not None:
            body |= {"reason": made.reason, "hold": made.hold} if made.reason else {"hold": made.hold}
        self._ledger.append(_OP, by, "", body)


def _lasting(commit: Callable[[], bool], answer: Any) -> Any:
    """What is answered is on the disk."""
    if not commit():
        raise ValueError("it could not be recorded; try again")
    return answer


@final
class Cancelled(Rule):
    """Denies every call of a cancelled session."""

    kind: Final = "cancellation"

    def __init__(self, cancellations: CancelledSessions) -> None:
        self._cancellations: Final = cancellations

    def fingerprint(self) -> Any:
        return self.kind

    def run(self, view: CallView, seconds: float) -> Verdict:
        reason = self._cancellations.objection(view.event.session_id)
        return NO_OPINION if reason is None else deny(reason)


def cancellation(cancellations: CancelledSessions) -> Hook:
    """The hook that stands second in every policy a daemon loads."""
    return Hook(
        name=NAME,
        events=(EventName.PRE_TOOL_USE,),
        handler=Cancelled(cancellations),
        matcher=Everything("*"),
        timeout=_SECONDS,
        only_objects=True,
        source=Source(layer=Layer.MANAGED, file="<built in>"),
    )
