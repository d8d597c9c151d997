"""Agents in the daemon: whom a person has looked at, who waits, who was killed, what runs below a watch."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final, final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.people_only import person_name
from interlock.daemon.process_tree import Process, ancestors, has_ended, process
from interlock.errors import InterlockError
from interlock.events.bounded_dict import BoundedDict
from interlock.features.notifications.service import Notice, NotificationService, Ways
from interlock.features.work.service import WorkService
from interlock.features.work.sessions import GONE
from interlock.features.work.settings import WORK
from interlock.features.work.store import AgentNotice, NoticeKind, WorkStore

_MOST_WATCHES: Final = 64
_SESSIONS: Final = 32  # of one watch

_Key = tuple[int, str]  # a process, and when it started


@final
class WatchedSessions:
    """The sessions below each `interlock watch` that has asked for them."""

    def __init__(self) -> None:
        self._sessions: Final[dict[_Key, BoundedDict[str, int]]] = {}
        self._heard = 0

    def below(self, pid: int) -> dict[str, int]:
        """Return the sessions seen below a process since it first asked; the highest number is the newest."""
        asking = process(pid)
        if asking is None:
            return {}
        key = (asking.pid, asking.started)
        if key not in self._sessions:
            self._make_room()
            self._sessions[key] = BoundedDict(_SESSIONS)
        return dict(self._sessions[key])

    def note_call(self, host: Process, session: str) -> None:
        """Note a hook call of a session."""
        if not self._sessions or not session:
            return
        self._heard += 1
        for ancestor in ancestors(host.pid):
            sessions = self._sessions.get((ancestor.pid, ancestor.started))
            if sessions is not None:
                sessions[session] = self._heard

    def _make_room(self) -> None:
        if len(self._sessions) < _MOST_WATCHES:
            return
        gone = [
            key for key in self._sessions if (running := process(key[0])) is None or running.started != key[1]
        ]
        for key in gone or list(self._sessions)[:1]:
            del self._sessions[key]


_SHORT: Final = 200
_TITLES: Final = {
    NoticeKind.ATTENTION: "waits for you",
    NoticeKind.ENDED: "has ended",
    NoticeKind.EXHAUSTED: "cannot go on",
}


def notice_of(event: AgentNotice) -> Notice:
    return Notice(
        title=f"Interlock: {event.label or event.agent} {_TITLES[event.kind]}"[:_SHORT],
        text=event.text[:_SHORT],
        document={
            "event": f"agent_{event.kind}",
            "agent": event.agent,
            "label": event.label,
            "session_id": event.session_id,
            "text": event.text,
            "next": "interlock fleet",
        },
    )


_log: Final = logging.getLogger(__name__)
EVERY_SECONDS: Final = 1.0
_MOST: Final = 1_024  # sessions that are followed


@final
class KilledAgents:
    """Ends sessions whose process is gone; it looks twice, so that a last hook call can still arrive."""

    def __init__(
        self, work: WorkStore, context: DaemonContext, announce: Callable[[AgentNotice], object]
    ) -> None:
        self._work: Final = work
        self._context: Final = context
        self._agents: Final = context.agents
        self._announce: Final = announce
        self._followed: dict[str, _Key] = {}  # session → its process
        self._over: dict[str, _Key] = {}  # sessions that are dealt with, as long as the daemon knows them
        self._missed: set[str] = set()  # their process was gone at the last look

    async def watch(self, seconds: float = EVERY_SECONDS) -> None:
        while True:
            await asyncio.sleep(seconds)
            self.look()

    def look(self) -> None:
        """End the sessions whose process was gone at the last look too."""
        hosts = self._agents.hosts()
        self._over = {session: host for session, host in self._over.items() if hosts.get(session) == host}
        self._followed |= {session: host for session, host in hosts.items() if session not in self._over}
        missed: set[str] = set()
        for session, (pid, started) in list(self._followed.items()):
            if not has_ended(pid, started):
                continue
            if session not in self._missed and not self._agents.alive(session):
                missed.add(session)
                continue
            self._over[session] = self._followed.pop(session)
            if not self._agents.alive(session):  # otherwise it continues in another process
                self._settle(session)
        self._missed = missed
        for session in list(self._followed)[:-_MOST]:
            del self._followed[session]

    def _settle(self, session: str) -> None:
        self._context.extensions.session_ended(session)
        try:
            if self._work.sessions.open_of(session) is not None:  # otherwise it reported its end
                self._end(session)
        except InterlockError as error:
            _log.warning("that the agent of session %s is gone could not be saved: %s", session, error)

    def _end(self, session: str) -> None:
        with self._work.step():
            self._work.sessions.end_all(session, GONE)
            agent = self._work.agents.of_host(session)
            if agent is not None:
                self._work.agents.set_status(agent.id, "done")
        # The ledger's next flush commits the change, so it needs an entry.
        body: dict[str, object] = {"deed": GONE, "session_id": session, "agent": agent.id if agent else None}
        self._context.committer.note("work", body)
        if agent is None:
            return
        self._announce(
            AgentNotice(
                kind=NoticeKind.ENDED,
                agent=agent.id,
                label=agent.label,
                session_id=session,
                text="its process ended without a report",
                notify=WORK.get(self._context.policies.for_folder("")).notify,
            )
        )


_MOST_NAMES: Final = 1_000


@final
class FleetService:
    """Takes a person's `I have looked`, sends notices, and tells `interlock watch` what runs below it."""

    def __init__(self, context: DaemonContext) -> None:
        work = context.need(WorkService)
        self._context: Final = context
        self._work: Final = work.work
        self._watched: Final = WatchedSessions()
        self._notifications: Final = context.need(NotificationService)
        work.announce = self.announce
        context.agents.met = self._watched.note_call

    def people_methods(self) -> Methods:
        return {"fleet.check": self._check}

    def methods(self) -> Methods:
        return {"watch.below": self._below}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        return (KilledAgents(self._work, self._context, self.announce).watch(),)

    def _check(self, params: dict[str, Any]) -> Any:
        names = [str(name) for name in params["agents"]][:_MOST_NAMES]
        committer = self._context.committer
        with self._work.step():
            checked = [name for name in names if self._work.agents.check(name)]
        # The ledger's next flush commits the change, so it needs an entry.
        committer.note("work", {"deed": "looked", "agents": checked, "by": person_name()})
        if not committer.commit():
            raise ValueError("this could not be recorded, so nothing was changed; try again in a moment")
        return {"checked": checked}

    def _below(self, params: dict[str, Any]) -> Any:
        if params.get("settled") is True:
            # The caller reads the database next, and the newest entries may not be on disk yet.
            self._context.committer.commit()
        return {"sessions": self._watched.below(params[PEER])}

    def announce(self, event: AgentNotice) -> None:
        """Start to notify people in the ways they chose."""
        notify = event.notify
        bell_of = event.session_id if notify.bell else None
        ways = Ways(webhook=notify.webhook, desktop=notify.desktop)
        self._notifications.tell(notice_of(event), ways, bell_of)
