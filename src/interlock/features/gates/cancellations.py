"""Sessions that a person has cancelled: their calls are denied and their turns may end."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, final

import msgspec

from interlock.daemon.call_intake import ParsedCall
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.people_only import person_name
from interlock.errors import StoreError
from interlock.events.decision import Decision
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
EVERY: Final = "*"
_SECONDS: Final = 10.0
_KEEP: Final = 30 * 86_400.0  # seconds; a session that is continued after that is a new one
_LONGEST: Final = 500
_LIFTED: Final = "let_go"
_STOPS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP})


class Cancellation(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of cancellations, in the order of its columns."""

    session_id: str  # `*`: every session
    state: str
    at: str
    by: str
    reason: str | None = None
    hold: bool = False  # until a person lifts it; otherwise the next prompt does


class CancelledSessions:
    """The cancelled sessions, all of them in memory: every tool call asks, and there are few."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        commit: Callable[[], bool],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._commit: Final = commit
        self._clock: Final = clock
        self._sql: Final = statements("cancellations")
        self._run("forget", timestamp(clock() - _KEEP))
        self._cancellations: Final[dict[str, Cancellation]] = {}
        for row in self._run("all").fetchall():
            fields = dict(zip(Cancellation.__struct_fields__, row, strict=True))
            self._cancellations[row[0]] = Cancellation(**{**fields, "hold": bool(fields["hold"])})

    def find(self, session: str) -> Cancellation | None:
        """What stops a session, or None."""
        cancellation = self._cancellations.get(session) or self._cancellations.get(EVERY)
        return None if cancellation is None or cancellation.state == _LIFTED else cancellation

    @property
    def all(self) -> list[Cancellation]:
        """Those in force, oldest first."""
        found = (one for one in self._cancellations.values() if one.state != _LIFTED)
        return sorted(found, key=lambda one: one.at)

    def cancel(self, session: str, by: str, reason: str | None, *, hold: bool) -> Cancellation:
        """Stop a session, or every session."""
        if session == EVERY:
            self._run("take_back")
            for name in [name for name, one in self._cancellations.items() if one.state == _LIFTED]:
                del self._cancellations[name]
        return self._put(session, by, "cancelled", reason, hold=hold)

    def lift(self, session: str, by: str) -> bool:
        """Let a session, or every session, continue; False when nothing stops it."""
        if session == EVERY:
            cancelled = bool(self.all)
            self._run("clear")
            self._cancellations.clear()
            return cancelled
        if self.find(session) is None:
            return False
        if EVERY in self._cancellations:
            self._put(session, by, _LIFTED)
        else:
            self._run("remove", session)
            del self._cancellations[session]
        return True

    def _put(
        self, session: str, by: str, state: str, reason: str | None = None, *, hold: bool = False
    ) -> Cancellation:
        at = timestamp(self._clock())
        self._run("put", session, state, at, by, reason, int(hold))
        cancellation = Cancellation(session_id=session, state=state, at=at, by=by, reason=reason, hold=hold)
        self._cancellations[session] = cancellation
        return cancellation

    def _run(self, name: str, *values: str | int | None) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._sql[name], values)
        except sqlite3.Error as error:
            raise StoreError(
                f"cannot read or record which sessions are cancelled: {explain(error)}"
            ) from error

    def standing_hooks(self) -> Sequence[Hook]:
        """A cancelled session makes no calls, whatever a policy says."""
        hook = Hook(
            name=NAME,
            events=(EventName.PRE_TOOL_USE,),
            handler=DenyCancelled(self),
            matcher=Everything("*"),
            timeout=_SECONDS,
            only_objects=True,
            source=Source(layer=Layer.MANAGED, file="<built in>"),
        )
        return (hook,)

    def at_turn(self, opened: ParsedCall, decision: Decision) -> Decision:
        """Let a cancelled session end its turn, and one that got another prompt continue."""
        event = opened.event
        cancellation = self.find(event.session_id)
        if cancellation is None:
            return decision
        if event.name in _STOPS and decision.vote is Vote.DENY:
            return decision.let_be(f"`{decision.decided_by}` asked to continue, but the session is cancelled")
        prompt = event.name == EventName.USER_PROMPT_SUBMIT and decision.vote is not Vote.DENY
        if prompt and not cancellation.hold and event.agent_id is None:
            self.lift(event.session_id, event.actor)
            self._record("prompted", event.session_id, "system")
        return decision

    def people_methods(self) -> Methods:
        person = person_name()

        def cancel(params: dict[str, Any]) -> Any:
            reason = str(params["reason"])[:_LONGEST] if params.get("reason") else None
            hold = params.get("hold") is True
            row = self.cancel(self._session_of(params), person, reason, hold=hold)
            self._record("cancelled", row.session_id, person, reason=row.reason, hold=row.hold)
            return self._commit_answer(msgspec.to_builtins(row))

        def resume(params: dict[str, Any]) -> Any:
            session = self._session_of(params)
            if not self.lift(session, person):
                what = "no session is cancelled" if session == EVERY else f"`{session}` is not cancelled"
                raise ValueError(f"{what}; see `interlock session cancelled`")
            self._record("resumed", session, person)
            return self._commit_answer({"session_id": session, "by": person})

        def list_all(_: dict[str, Any]) -> Any:
            return {"cancelled": [msgspec.to_builtins(one) for one in self.all]}

        return {"session.cancel": cancel, "session.resume": resume, "session.cancelled": list_all}

    def _session_of(self, params: dict[str, Any]) -> str:
        """Every session, the cancelled one of this name, or the only one whose name begins like this."""
        if params.get("all") is True:
            return EVERY
        begin = str(params.get("session") or "")
        if begin and any(one.session_id == begin for one in self.all):
            return begin
        names = []
        if begin and begin != EVERY:
            values = {"begin": begin, "end": f"{begin}\uffff"}
            try:
                names = [str(name) for (name,) in self._connection.execute(self._sql["known"], values)]
            except sqlite3.Error as error:
                raise StoreError(f"the sessions cannot be read: {explain(error)}") from error
        if begin in names or len(names) == 1:
            return begin if begin in names else names[0]
        if names:
            raise ValueError(
                f"several sessions begin with `{begin}` ({', '.join(names)}); type more of the id"
            )
        raise ValueError(f"no session `{begin}` is recorded; see `interlock ledger list`")

    def _record(self, action: str, session: str, by: str, **more: object) -> None:
        whom: dict[str, object] = {"all": True} if session == EVERY else {"session_id": session}
        known = {name: value for name, value in more.items() if value is not None}
        self._ledger.append("cancellation", by, "", {"action": action, **whom, "by": by, **known})

    def _commit_answer(self, answer: Any) -> Any:
        if not self._commit():
            raise ValueError("it could not be recorded; try again")
        return answer


@final
class DenyCancelled(Rule):
    """Denies every call of a cancelled session."""

    kind: Final = "cancellation"

    def __init__(self, sessions: CancelledSessions) -> None:
        self._sessions: Final = sessions

    def fingerprint(self) -> Any:
        return self.kind

    def run(self, view: CallView, seconds: float) -> Verdict:
        cancellation = self._sessions.find(view.event.session_id)
        if cancellation is None:
            return NO_OPINION
        why = f": {cancellation.reason}" if cancellation.reason else ""
        return deny(
            f"{cancellation.by} cancelled this session at {cancellation.at}{why}. "
            "End your turn now and say how far you got."
        )
