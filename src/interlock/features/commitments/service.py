"""Commitments in the daemon: what sessions are at work on, and the operations people and agents ask for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.policy_loader import Loaded
from interlock.events.event import Event
from interlock.features.commitments.commitments import Commitments
from interlock.features.commitments.compile import COMMITMENTS

if TYPE_CHECKING:
    from interlock.features.commitments.rpc import CommitmentMethods


class CommitmentService:
    """Who is at work on what; the operations are imported when somebody asks for one."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self.commitments: Final = Commitments(context.connection, context.ledger, context.committer.commit)
        self.commitments.end_sessions(context.agents.alive)
        context.ledger.work_of = self.commitments.held_by

    @cached_property
    def operations(self) -> CommitmentMethods:
        """What may be asked for."""
        from interlock.features.commitments.rpc import CommitmentMethods

        return CommitmentMethods(self.commitments, self._context)

    def methods(self) -> Methods:
        """Every operation."""
        return self.operations.methods

    def enrich(self, event: Event, loaded: Loaded) -> Event:
        """The event with the commitment its session is at work on."""
        name = self.commitments.held_by(event.session_id, event.actor, loaded.root)
        return event if name is None else self.commitments.enrich(event, name, COMMITMENTS.of(loaded))

    def session_ended(self, session: str) -> None:
        """What it claimed goes on with its owners."""
        self.commitments.end_session(session)

    def before_removal(self, last: int) -> None:
        """Record again what is still owed and stands in entries that go."""
        self.commitments.carry(last, self.operations.recorded.going)
