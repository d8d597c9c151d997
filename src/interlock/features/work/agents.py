"""Who is at work: what hooks say of each agent, and whether a person has looked since."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar, Final, final

import msgspec

from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.records import STATUSES, Agent, FleetRow, Table, as_json
from interlock.features.work.sessions.tables import GONE
from interlock.features.work.settings import WorkNotify

MOST: Final = 1_000
_FIRST: Final = 1  # the priority of those that failed


@final
class AgentRows(Table):
    """One row for each name, whatever sessions it went through."""

    file: ClassVar = "work_agents"

    def seen(
        self,
        agent_id: str,
        *,
        label: str | None = None,
        effort_id: int | None = None,
        parent: str | None = None,
        pane: str | None = None,
        tmux: str | None = None,
        host_session_id: str | None = None,
    ) -> Agent:
        """Take notice of an agent; what is not said stays as it was, and an unknown parent is noticed too."""
        if parent is not None and parent != agent_id and self.get(parent) is None:
            self.seen(parent)
        return self._the(
            Agent,
            "seen",
            id=agent_id,
            label=label,
            effort_id=effort_id,
            parent=parent if parent != agent_id else None,
            host_session_id=host_session_id,
            pane=pane,
            tmux=tmux,
            now=self._now(),
        )

    def get(self, agent_id: str) -> Agent | None:
        """One agent, where it is known."""
        return self._one(Agent, "get", id=agent_id)

    def of_host(self, host_session_id: str) -> Agent | None:
        """The agent that is in a session of a host."""
        return self._one(Agent, "of_host", host_session_id=host_session_id)

    def named(self, name: str) -> Agent | None:
        """The agent of a name, its own or the one people call it by."""
        return self._one(Agent, "named", name=name)

    def coordinator_of(self, agent: Agent, names: Iterable[str] = ()) -> Agent | None:
        """Who manages an agent, by its id or one of more names; else its parent."""
        found = self._one(Agent, "manager_of", names=as_json([agent.id, *names]))
        return found or (self.get(agent.parent) if agent.parent else None)

    def set_status(self, agent_id: str, status: str) -> bool:
        """Say how an agent is, in one of five words; gives whether that is known of it now."""
        if status not in STATUSES:
            raise RefusedError(
                Code.BAD_STATUS, f"`{status}` is not a status", f"use one of {', '.join(STATUSES)}"
            )
        self._run("set_status", id=agent_id, status=status, now=self._now())
        return self.get(agent_id) is not None

    def check(self, agent_id: str) -> bool:
        """A person has looked at it; gives whether there is such an agent."""
        return self._run("check", id=agent_id, now=self._now()).rowcount == 1

    def set_manages(self, agent_id: str, names: Iterable[str]) -> None:
        """Whom it coordinates."""
        self._run("set_manages", id=agent_id, manages=as_json(list(names)))

    def leave(self, effort_id: int) -> None:
        """Nobody is at work on an effort any more."""
        self._run("leave", effort_id=effort_id)

    def listed(self, *, most: int = MOST) -> list[FleetRow]:
        """Everybody, those first that need a person most."""
        rows = map(_as_row, self._all(_Row, "fleet", most=most))
        return sorted(rows, key=lambda row: row.priority)

    def shown(self, agent_id: str) -> FleetRow | None:
        """One of them."""
        found = self._one(_Row, "fleet_one", id=agent_id)
        return None if found is None else _as_row(found)


class _Row(FleetRow, frozen=True, kw_only=True):
    ended: str | None  # why the session it was in last has ended


def _as_row(row: _Row) -> FleetRow:
    """One that was killed is as urgent as one that failed, until a person has looked."""
    fields = {name: getattr(row, name) for name in FleetRow.__struct_fields__}
    if row.ended == GONE and row.shown == "unchecked":
        fields |= {"shown": GONE, "priority": _FIRST}
    return FleetRow(**fields)


class NoticeKind(StrEnum):
    """What happened."""

    ATTENTION = "attention"  # the agent waits for somebody
    ENDED = "session_ended"
    EXHAUSTED = "exhausted"  # no more calls for now, or no more room in the window


class AgentNotice(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, with who it is about."""

    kind: NoticeKind
    agent: str
    label: str | None
    session_id: str  # the host's
    text: str  # one line for people
    notify: WorkNotify  # how they want to be told
