"""Everything that the views of many agents need in the daemon, put together in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.jsonrpc import PEER, Method, Methods
from interlock.daemon.people_only import Note, guarded_methods, person_name
from interlock.errors import InterlockError
from interlock.features.fleet.agent_processes import KilledAgents, WatchedSessions
from interlock.features.notifications.sender import Notifier, Ways, terminal_of
from interlock.features.work.settings import WorkNotify
from interlock.features.work.store import WorkStore

if TYPE_CHECKING:
    from interlock.features.work.agent_notice import AgentNotice

_MOST: Final = 1_000


@final
class FleetDesk:
    """People say here whom they have looked at, and hear who waits; a watch asks what runs below it."""

    def __init__(self, work: WorkStore, agents: Agents) -> None:
        self._work: Final = work
        self._agents: Final = agents
        self._watched: Final = WatchedSessions()
        self._notifier: Notifier | None = None
        self._note: Note = lambda _op, _body: None
        agents.met = self._watched.met

    def open(self, note: Note, commit: Callable[[], bool]) -> Methods:
        """Begin to serve people; gives the methods by which they ask."""
        self._notifier, self._note = Notifier(note, of="agents"), note

        def check(params: dict[str, Any]) -> Any:
            names = [str(name) for name in params["agents"]][:_MOST]
            try:
                with self._work.step():
                    known = [name for name in names if self._work.agents.check(name)]
            except InterlockError as error:
                raise ValueError(str(error)) from error
            # Without an entry a change is none: the ledger's next flush makes both lasting.
            note("work", {"deed": "looked", "agents": known, "by": person_name()})
            if not commit():
                raise ValueError("that somebody looked could not be recorded; try again")
            return {"checked": known}

        guarded = guarded_methods({"fleet.check": check}, self._agents, note)
        return {"fleet.check": guarded["fleet.check"], "watch.below": self._below(commit)}

    def _below(self, commit: Callable[[], bool]) -> Method:
        def below(params: dict[str, Any]) -> Any:
            if params.get("settled") is True:
                commit()  # what was only observed may not be on the disk yet, and whoever asks reads it there
            return {"sessions": self._watched.below(params[PEER])}

        return below

    async def watch(self, notify: Callable[[], WorkNotify], ended: Callable[[str], object]) -> None:
        """Take notice of agents that were killed, until cancelled; `ended` is told of their sessions."""
        gone = KilledAgents(
            self._work, self._agents, self._note, announce=self.announce, notify=notify, ended=ended
        )
        await gone.watch()

    def announce(self, happening: AgentNotice) -> None:
        """Begin to tell people of something, the ways they chose."""
        from interlock.features.fleet.agent_processes import notice_of  # noqa: PLC0415 - most policies notify nobody

        wanted = happening.notify
        if self._notifier is None or not (wanted.desktop or wanted.bell or wanted.webhook):
            return
        terminal = self._terminal(happening.session_id) if wanted.bell else None
        ways = Ways(webhook=wanted.webhook, desktop=wanted.desktop, terminal=terminal)
        self._notifier.tell(notice_of(happening), ways)

    def _terminal(self, session: str) -> Path | None:
        pid = self._agents.process_of(session)
        return None if pid is None else terminal_of(pid)

    async def close(self) -> None:
        """Leave nothing under way."""
        if self._notifier is not None:
            await self._notifier.close()
