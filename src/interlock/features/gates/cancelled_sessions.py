"""Sessions that a person has cancelled: their calls are denied and their turns may end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.daemon.jsonrpc import Methods
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.features.gates.cancellations_table import EVERY, Cancellation, CancellationsInStore
from interlock.ledger.writer import LedgerWriter

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
        found = self._store.of(session_id)
        if found is None:
            return None
        why = f": {found.reason}" if found.reason else ""
        return (
            f"this session was cancelled by {found.by} at {found.at}{why}; "
            "end your turn now and say where the work stands"
        )

    def settled(self, event: Event, decision: Decision) -> Decision:
        """Let a cancelled session end its turn, and one that got another prompt go on."""
        if event.name in _STOPS and decision.vote is Vote.DENY:
            if self._store.of(event.session_id) is None:
                return decision
            note = f"`{decision.decided_by}` would go on, but the session is cancelled"
            return decision.let_be(note)
        if event.name == EventName.USER_PROMPT_SUBMIT and decision.vote is not Vote.DENY:
            self._prompted(event)
        return decision

    def _prompted(self, event: Event) -> None:
        found = self._store.of(event.session_id)
        if found is not None and not found.hold and event.agent_id is None:
            self._store.lift(event.session_id, event.actor)
            self._note("prompted", event.session_id, "system")

    def methods(self, person: str, commit: Callable[[], bool]) -> Methods:
        """What people may ask for."""

        def cancel(params: dict[str, Any]) -> Any:
            reason = params.get("reason")
            text = str(reason)[:_LONGEST] if reason else None
            hold = params.get("hold") is True
            made = self._store.cancel(self._named(params), person, text, hold=hold)
            self._note("cancelled", made.session_id, person, made)
            return _lasting(commit, msgspec.to_builtins(made))

        def resume(params: dict[str, Any]) -> Any:
            session = self._named(params)
            if not self._store.lift(session, person):
                what = "no session is cancelled" if session == EVERY else f"`{session}` is not cancelled"
                raise ValueError(f"{what}; see `interlock session cancelled`")
            self._note("resumed", session, person)
            return _lasting(commit, {"session_id": session, "by": person})

        def listed(_: dict[str, Any]) -> Any:
            return {"cancelled": [msgspec.to_builtins(one) for one in self._store.all]}

        return {"session.cancel": cancel, "session.resume": resume, "session.cancelled": listed}

    def _named(self, params: dict[str, Any]) -> str:
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
            raise ValueError(f"several sessions begin with `{begin}` ({', '.join(names)}); write more of it")
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
