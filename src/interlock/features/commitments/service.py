"""Commitments in the daemon: the only place where operations are checked, recorded and followed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.policy_loader import Loaded
from interlock.errors import LedgerError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.features.commitments.checks import Circumstances, Review
from interlock.features.commitments.claims import (
    CARRIED,
    Claims,
    PlacedOperation,
    carried_body,
    operations_since,
    place_operation,
    select_needed,
)
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.constraints import SYSTEM, tier_of, wanted_validators
from interlock.features.commitments.planning import plan_operations, result_memories
from interlock.features.commitments.policy import CommitmentPolicy, Validator
from interlock.features.commitments.records import (
    Code,
    Commitment,
    Operation,
    RefusedError,
    ValidatorResult,
    new_id,
)
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry, write_down
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors
from interlock.store.statements import statements

if TYPE_CHECKING:
    from interlock.features.commitments.rpc import CommitmentMethods


Work = Callable[[Sequence[str], int], list[JsonObject]]
_LARGEST: Final = 512 * 1024  # bytes of one operation


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    actor: str
    workspace: str
    person: bool = True  # False: an agent's process
    session_id: str | None = None
    authenticated_by: str | None = None  # how a person proved who they are
    claimed_actor: str | None = None  # who an agent's process said it was


class Commitments:
    """The only writer of operations; not thread-safe.

    `flush` makes what was appended durable and says whether it could.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        flush: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._flush: Final = flush
        self._clock: Final = clock
        self._states: Final[dict[str, State]] = {}
        self._seen = 0  # the last entry that was read
        self._ids: Final[set[str]] = set()  # of all workspaces
        self._claims: Final = Claims()
        self.held_by: Final = self._claims.current  # the commitment an actor is working on
        self._places: Final[dict[str, str]] = {}  # claimed commitment → its workspace
        self._facts: Final[dict[str, tuple[CommitmentPolicy, Commitment, JsonObject]]] = {}
        self.follow()

    def state(self, workspace: str) -> State:
        self.follow()
        return self._states.get(self._ledger.name(workspace)) or State()

    def perform(
        self, op: str, payload: Mapping[str, Any], caller: Caller, policy: CommitmentPolicy, **more: Any
    ) -> list[Operation]:
        """Check and record one operation and what belongs to it; on RefusedError nothing was written.

        Nothing happens between check and record, so of two simultaneous claims one is refused.
        """
        return self._record(self._plan(op, payload, caller, policy, **more))

    def validators(
        self, op: str, payload: Mapping[str, Any], caller: Caller, policy: CommitmentPolicy, **more: Any
    ) -> tuple[Validator, ...]:
        """What must pass before an operation. If it would be refused anyway, refuse now and run nothing."""
        validators = wanted_validators(op, dict(payload), self.state(caller.workspace), policy)
        if validators:
            self._plan(op, payload, caller, policy, validated=None, **more)
        return validators

    def _plan(
        self,
        op: str,
        payload: Mapping[str, Any],
        caller: Caller,
        policy: CommitmentPolicy,
        *,
        meta: JsonObject | None = None,
        source_key: str | None = None,
        review: Callable[[Commitment], Review | None] | None = None,
        validated: Sequence[ValidatorResult] | None = (),
    ) -> list[Operation]:
        operation = self._operation(op, payload, caller, meta, source_key)
        context = Circumstances(
            policy=policy,
            person=caller.person,
            now=operation.ts,
            review=review,
            validated=None if validated is None else tuple(validated),
        )
        return plan_operations(operation, self.state(caller.workspace), context, self._later)

    def note_results(self, name: str, caller: Caller, validated: Sequence[ValidatorResult]) -> None:
        """Record the results of validators that refuse an operation."""
        like = self._operation("capture", {}, caller, None, None)
        self._record(list(result_memories(like, name, validated, self._ids)))

    def _later(self, seconds: float) -> str:
        return timestamp(self._clock() + seconds)

    def _operation(
        self,
        op: str,
        payload: Mapping[str, Any],
        caller: Caller,
        meta: JsonObject | None,
        source_key: str | None,
    ) -> Operation:
        self.follow()
        if caller.actor == SYSTEM:
            raise RefusedError(
                Code.PERMISSION_DENIED, f"`{SYSTEM}` is Interlock itself", "act under your own name"
            )
        return Operation(
            op=op,
            id=new_id(op, self._ids),
            ts=timestamp(self._clock()),
            actor=caller.actor,
            workspace=caller.workspace,
            payload={name: value for name, value in payload.items() if value is not None},
            meta=meta or {},
            source_key=source_key,
            session_id=caller.session_id,
            claimed_actor=caller.claimed_actor,
            authenticated_by=caller.authenticated_by,
        )

    def _record(self, plan: list[Operation]) -> list[Operation]:
        for operation in plan:
            _check_written(operation)  # check all before writing any: half a plan must never be recorded
        for operation in plan:
            self._ledger.append(
                operation.op, operation.actor, operation.workspace, operation.body(), name=operation.id
            )
        if not self._flush():
            raise RefusedError(
                Code.WORKSPACE_LOCKED, "the ledger cannot be written now", "try again in a moment"
            )
        self.follow()
        return plan

    def follow(self) -> None:
        """Read what was recorded since, by anyone."""
        with explain_errors("cannot read the ledger", LedgerError):
            for entry, operation in operations_since(self._connection, self._seen):
                if entry is not None:
                    self._seen = entry.seq
                    self._ids.add(entry.id)
                if operation is not None:
                    self._take(operation)

    def carry(self, last: int, work: Work = lambda *_: []) -> int:
        """Record again what later states need from entries that are about to be removed; returns how many.

        `work` returns what was done under the commitments that are still owed.
        """
        self.follow()
        by_place: dict[str, list[PlacedOperation]] = {}
        with explain_errors("cannot read the ledger", LedgerError):
            for row in self._connection.execute(statements("commitments")["upto"], (last,)):
                if (placed := place_operation(Entry(*row))) is not None:
                    by_place.setdefault(placed.operation.workspace, []).append(placed)
        needed_operations = [
            placed for place, ones in by_place.items() for placed in select_needed(ones, self._states[place])
        ]
        for placed in needed_operations:
            self._ledger.append(CARRIED, SYSTEM, placed.operation.workspace, carried_body(placed))
        owed = {
            commitment.id: place
            for place, state in self._states.items()
            for commitment in state.commitments.values()
            if not commitment.ended
        }
        bodies = work(list(owed), last) if owed else []
        for body in bodies:
            self._ledger.append(CARRIED, SYSTEM, owed[body["commitment_id"]], body)
        if (needed_operations or bodies) and not self._flush():
            raise LedgerError("cannot record: the commitments could not be carried over; try again")
        return len(needed_operations) + len(bodies)

    def _take(self, operation: Operation) -> None:
        state = self._states.get(operation.workspace)
        if state is None:
            state = self._states[operation.workspace] = State()
        if not state.take(operation):
            return
        self._ids.add(operation.id)
        commitment = state.commitment_of(operation)
        if commitment is not None:
            self._places[commitment.id] = operation.workspace
            self._claims.follow(commitment, operation.workspace, claimed=operation.op == "claim")
            if not commitment.active:
                self._facts.pop(commitment.id, None)

    def enrich(self, event: Event, name: str, policy: CommitmentPolicy) -> Event:
        """The event with the commitment its session is working on."""
        facts = self.facts(name, policy)
        if event.name == EventName.SESSION_END:
            self.end_session(event.session_id)
        return msgspec.structs.replace(event, commitment_id=name, commitment=facts)

    def end_session(self, session: str) -> None:
        """The owners keep what a finished session claimed."""
        self._claims.end(session, self._places)

    def end_sessions(self, alive: Callable[[str], bool]) -> None:
        """End all sessions that finished while no daemon ran."""
        for session in self._claims.sessions():
            if not alive(session):
                self.end_session(session)

    def place_of(self, name: str) -> str | None:
        """The workspace of a commitment somebody has worked on."""
        return self._places.get(name)

    def facts(self, name: str, policy: CommitmentPolicy) -> JsonObject:
        """What conditions may ask about a claimed commitment; rebuilt when it or the policy changed."""
        state = self._states[self._places[name]]
        commitment = state.commitments[name]
        cached = self._facts.get(name)
        if cached is not None and cached[0] is policy and cached[1] is commitment:
            return cached[2]
        facts = facts_of(commitment, state, policy)
        self._facts[name] = (policy, commitment, facts)
        return facts


def facts_of(commitment: Commitment, state: State, policy: CommitmentPolicy) -> JsonObject:
    """What conditions and gates may ask about a commitment."""
    tier = tier_of(commitment, state, policy)
    return {
        "id": commitment.id,
        "state": str(commitment.state),
        "tier": str(tier),
        "tags": list(commitment.tags),
        "body": commitment.body,
        "requires_review": policy.waits(tier),
        "owner": commitment.owner,
        "evidence": len(commitment.evidence),
        "sent_back": commitment.sent_back,
    }


def _check_written(operation: Operation) -> None:
    """Refuse what cannot be written as plain JSON, or is too large."""
    try:
        size = len(write_down(operation.body()))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RefusedError(Code.INVALID_OP, f"it cannot be recorded ({error})", "use plain JSON") from error
    if size > _LARGEST:
        raise RefusedError(Code.INVALID_OP, f"it takes {size} bytes", f"use at most {_LARGEST}")


class CommitmentService:
    """Knows who is working on what; the operations are imported on first use."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self.commitments: Final = Commitments(context.connection, context.ledger, context.committer.commit)
        self.commitments.end_sessions(context.agents.alive)
        context.ledger.work_of = self.commitments.held_by

    @cached_property
    def operations(self) -> CommitmentMethods:
        from interlock.features.commitments.rpc import CommitmentMethods

        return CommitmentMethods(self.commitments, self._context)

    def methods(self) -> Methods:
        return self.operations.methods

    def enrich(self, event: Event, loaded: Loaded) -> Event:
        name = self.commitments.held_by(event.session_id, event.actor, loaded.root)
        return event if name is None else self.commitments.enrich(event, name, COMMITMENTS.get(loaded))

    def session_ended(self, session: str) -> None:
        self.commitments.end_session(session)

    def before_removal(self, last: int) -> None:
        """Carry over what is still owed."""
        self.commitments.carry(last, self.operations.recorded.carry_over)
