"""Which sessions run below which `interlock watch`, and agents that were killed without a word."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.people_only import Note
from interlock.daemon.process_tree import Process, ancestors, has_ended, process
from interlock.errors import InterlockError
from interlock.features.notifications.sender import Notice
from interlock.features.work.agents import AgentNotice, NoticeKind
from interlock.features.work.records import Agent
from interlock.features.work.sessions.tables import GONE
from interlock.features.work.settings import WorkNotify
from interlock.features.work.store import WorkStore

_MOST_WATCHES: Final = 64  # that watch at a time
_SESSIONS: Final = 32  # of one of them

_Key = tuple[int, str]  # a process, and when it started


@final
class WatchedSessions:
    """Keeps what hook calls tell for as long as somebody asks; who asks is known from then on."""

    def __init__(self) -> None:
        self._sessions: Final[dict[_Key, dict[str, int]]] = {}
        self._heard = 0

    def below(self, pid: int) -> dict[str, int]:
        """The sessions below a process since it first asked; that with the highest number was heard last."""
        found = process(pid)
        if found is None:
            return {}
        key = (found.pid, found.started)
        if key not in self._sessions:
            self._make_room()
            self._sessions[key] = {}
        return dict(self._sessions[key])

    def met(self, host: Process, session: str) -> None:
        """A session of a host was heard of."""
        if not self._sessions or not session:
            return
        self._heard += 1
        for one in ancestors(host.pid):
            sessions = self._sessions.get((one.pid, one.started))
            if sessions is None:
                continue
            sessions.pop(session, None)
            sessions[session] = self._heard
            if len(sessions) > _SESSIONS:
                del sessions[next(iter(sessions))]

    def _make_room(self) -> None:
        if len(self._sessions) < _MOST_WATCHES:
            return
        gone = [
            key for key in self._sessions if (found := process(key[0])) is None or found.started != key[1]
        ]
        for key in gone or list(self._sessions)[:1]:
            del self._sessions[key]


_SHORT: Final = 200
_TITLES: Final = {
    NoticeKind.ATTENTION: "waits for you",
    NoticeKind.ENDED: "has ended",
    NoticeKind.EXHAUSTED: "cannot go on",
}


def notice_of(happening: AgentNotice) -> Notice:
    """What the desktop shows of it, and what a webhook gets."""
    name = happening.label or happening.agent
    return Notice(
        title=f"Interlock: {name} {_TITLES[happening.kind]}"[:_SHORT],
        text=happening.text[:_SHORT],
        document={
            "event": f"agent_{happening.kind}",
            "agent": happening.agent,
            "label": happening.label,
            "session_id": happening.session_id,
            "text": happening.text,
            "next": "interlock fleet",
        },
    )


_log: Final = logging.getLogger(__name__)
EVERY_SECONDS: Final = 1.0
_MOST: Final = 1_024  # sessions that are followed


@final
class KilledAgents:
    """Follows the processes of sessions; two looks, so that a last word on its way arrives first."""

    def __init__(
        self,
        work: WorkStore,
        agents: Agents,
        note: Note,
        *,
        announce: Callable[[AgentNotice], object],
        notify: Callable[[], WorkNotify],
        ended: Callable[[str], object],
    ) -> None:
        self._work: Final = work
        self._agents: Final = agents
        self._note: Final = note
        self._announce: Final = announce
        self._notify: Final = notify
        self._ended: Final = ended  # what a session claimed goes on with its owners
        self._followed: dict[str, tuple[int, str]] = {}  # session → its process, and when that started
        self._over: dict[str, tuple[int, str]] = {}  # those that are settled, as long as they are known
        self._missed: set[str] = set()

    async def watch(self, seconds: float = EVERY_SECONDS) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            self.look()

    def look(self) -> None:
        """End the sessions of those that were missing the last time too."""
        hosts = self._agents.hosts()
        self._over = {session: host for session, host in self._over.items() if hosts.get(session) == host}
        self._followed |= {one: host for one, host in hosts.items() if one not in self._over}
        missed: set[str] = set()
        for session, (pid, started) in list(self._followed.items()):
            if not has_ended(pid, started):
                continue
            if session not in self._missed and not self._agents.alive(session):
                missed.add(session)
                continue
            self._over[session] = self._followed.pop(session)
            if not self._agents.alive(session):  # else it goes on in another process
                self._settle(session)
        self._missed = missed
        for session in list(self._followed)[:-_MOST]:
            del self._followed[session]

    def _settle(self, session: str) -> None:
        self._ended(session)
        try:
            if self._work.sessions.open_of(session) is not None:  # else it said that it ends
                self._end(session)
        except InterlockError as error:
            _log.warning("that the agent of session %s is gone could not be saved: %s", session, error)

    def _end(self, session: str) -> None:
        with self._work.step():
            self._work.sessions.end_all(session, GONE)
            agent = self._work.agents.of_host(session)
            if agent is not None:
                self._work.agents.set_status(agent.id, "done")
        # Without an entry a change is none: the ledger's next flush makes both lasting.
        self._note("work", {"deed": GONE, "session_id": session, "agent": agent.id if agent else None})
        if agent is not None:
            self._announce(self._happening(agent, session))

    def _happening(self, agent: Agent, session: str) -> AgentNotice:
        return AgentNotice(
            kind=NoticeKind.ENDED,
            agent=agent.id,
            label=agent.label,
            session_id=session,
            text="its process ended without a report",
            notify=self._notify(),
        )
