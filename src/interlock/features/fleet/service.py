"""The views of many agents, in the daemon: who was looked at, who waits, who was killed."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.people_only import person_name
from interlock.errors import InterlockError
from interlock.features.fleet.agent_processes import KilledAgents, WatchedSessions, notice_of
from interlock.features.notifications.sender import Notifier, Ways, terminal_of
from interlock.features.work.service import WorkService
from interlock.features.work.settings import WORK

if TYPE_CHECKING:
    from interlock.features.work.agents import AgentNotice

_MOST: Final = 1_000


@final
class FleetService:
    """People say here whom they have looked at, and hear who waits; a watch asks what runs below it."""

    def __init__(self, context: DaemonContext) -> None:
        work = context.need(WorkService)
        self._context: Final = context
        self._work: Final = work.work
        self._watched: Final = WatchedSessions()
        self._notifier: Final = Notifier(context.committer.note, of="agents")
        work.announce = self.announce
        context.agents.met = self._watched.met

    def people_methods(self) -> Methods:
        """What people say."""
        return {"fleet.check": self._check}

    def methods(self) -> Methods:
        """What a watch asks."""
        return {"watch.below": self._below}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Taking notice of agents that were killed."""
        context = self._context
        gone = KilledAgents(
            self._work,
            context.agents,
            context.committer.note,
            announce=self.announce,
            notify=lambda: WORK.of(context.policies.for_folder("")).notify,
            ended=context.extensions.session_ended,
        )
        return (gone.watch(),)

    def _check(self, params: dict[str, Any]) -> Any:
        names = [str(name) for name in params["agents"]][:_MOST]
        committer = self._context.committer
        try:
            with self._work.step():
                known = [name for name in names if self._work.agents.check(name)]
        except InterlockError as error:
            raise ValueError(str(error)) from error
        # Without an entry a change is none: the ledger's next flush makes both lasting.
        committer.note("work", {"deed": "looked", "agents": known, "by": person_name()})
        if not committer.commit():
            raise ValueError("your visit could not be recorded; try again")
        return {"checked": known}

    def _below(self, params: dict[str, Any]) -> Any:
        if params.get("settled") is True:
            # What was only observed may not be on the disk yet, and whoever asks reads it there.
            self._context.committer.commit()
        return {"sessions": self._watched.below(params[PEER])}

    def announce(self, happening: AgentNotice) -> None:
        """Begin to tell people of something, the ways they chose."""

        wanted = happening.notify
        if not (wanted.desktop or wanted.bell or wanted.webhook):
            return
        terminal = self._terminal(happening.session_id) if wanted.bell else None
        ways = Ways(webhook=wanted.webhook, desktop=wanted.desktop, terminal=terminal)
        self._notifier.tell(notice_of(happening), ways)

    def _terminal(self, session: str) -> Path | None:
        pid = self._context.agents.process_of(session)
        return None if pid is None else terminal_of(pid)

    async def close(self) -> None:
        """Leave nothing under way."""
        await self._notifier.close()
