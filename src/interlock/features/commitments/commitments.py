"""All workspaces of one ledger: operations are checked, recorded and followed here and nowhere else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from interlock.errors import LedgerError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.features.commitments.checks import Circumstances
from interlock.features.commitments.claims import CARRIED, Claims, PlacedOperation, needed, place_operation
from interlock.features.commitments.claims import body_of as carried_body
from interlock.features.commitments.constraints import SYSTEM, tier_of
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.operation import Operation, operation_of
from interlock.features.commitments.planning import plan_operations
from interlock.features.commitments.policy import CommitmentPolicy, Validator
from interlock.features.commitments.records import Commitment, new_id
from interlock.features.commitments.reviews import Review
from interlock.features.commitments.state import State
from interlock.features.commitments.validation import ValidatorResult, result_memories, wanted_validators
from interlock.ledger.entry import Entry, write_down
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

Deeds = Callable[[Sequence[str], int], list[JsonObject]]
_PAGE: Final = 1_000
_LARGEST: Final = 512 * 1024  # bytes of one operation


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, and where."""

    actor: str
    workspace: str
    person: bool = True  # False: an agent's process
    session_id: str | None = None
    authenticated_by: str | None = None  # how a person showed who they are
    claimed_actor: str | None = None  # who an agent's process said it was


class Commitments:
    """The one writer of operations; not for several threads.

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
        self._sql: Final = statements("commitments")
        self._states: Final[dict[str, State]] = {}
        self._seen = 0  # the last entry that was followed
        self._ids: Final[set[str]] = set()  # of all workspaces
        self._claims: Final = Claims()
        self.held_by: Final = self._claims.current  # the commitment an actor is at work on
        self._places: Final[dict[str, str]] = {}  # claimed commitment → its workspace
        self._facts: Final[dict[str, tuple[CommitmentPolicy, Commitment, JsonObject]]] = {}
        self.follow()

    def state(self, workspace: str) -> State:
        """How a workspace stands now."""
        self.follow()
        return self._states.get(self._ledger.name(workspace)) or State()

    def perform(
        self,
        op: str,
        payload: Mapping[str, Any],
        caller: Caller,
        policy: CommitmentPolicy,
        *,
        meta: JsonObject | None = None,
        source_key: str | None = None,
        review: Callable[[Commitment], Review | None] | None = None,
        validated: Sequence[ValidatorResult] = (),
    ) -> list[Operation]:
        """Check and record one operation and what it brings along; on RefusedError nothing was written.

        Nothing else happens between the check and the record, so of two claims at once one is refused.
        """
        asked = self._operation(op, payload, caller, meta, source_key)
        around = Circumstances(
            policy=policy, person=caller.person, now=asked.ts, review=review, validated=tuple(validated)
        )
        return self._record(plan_operations(asked, self.state(caller.workspace), around, self._later))

    def validators(
        self,
        op: str,
        payload: Mapping[str, Any],
        caller: Caller,
        policy: CommitmentPolicy,
        *,
        meta: JsonObject | None = None,
        source_key: str | None = None,
        review: Callable[[Commitment], Review | None] | None = None,
    ) -> tuple[Validator, ...]:
        """What must pass before an operation; one that is refused anyway is so now, and nothing runs."""
        state = self.state(caller.workspace)
        found = wanted_validators(op, dict(payload), state, policy)
        if found:
            asked = self._operation(op, payload, caller, meta, source_key)
            around = Circumstances(
                policy=policy, person=caller.person, now=asked.ts, review=review, validated=None
            )
            plan_operations(asked, state, around, self._later)
        return found

    def note_results(self, name: str, caller: Caller, validated: Sequence[ValidatorResult]) -> None:
        """Record what came of validators where nothing else is recorded with it."""
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
        for one in plan:
            _check_written(one)  # all of them before the first: half a plan must never be recorded
        for one in plan:
            self._ledger.append(one.op, one.actor, one.workspace, one.body(), name=one.id)
        if not self._flush():
            raise RefusedError(
                Code.WORKSPACE_LOCKED, "the ledger cannot be written now", "try again in a moment"
            )
        self.follow()
        return plan

    def follow(self) -> None:
        """Read what was recorded since, by whomever."""
        if self._seen == 0:
            # What was carried over a removal was first recorded before everything that is left.
            carried = [place_operation(entry) for entry in self._entries("carried")]
            for one in sorted((one for one in carried if one is not None), key=lambda one: one.seq):
                self._take(one.operation)
        while True:
            entries = self._entries("after", self._seen, _PAGE)
            for entry in entries:
                self._seen = entry.seq
                self._ids.add(entry.id)
                operation = operation_of(entry)
                if operation is not None:
                    self._take(operation)
            if len(entries) < _PAGE:
                return

    def carry(self, last: int, deeds: Deeds = lambda *_: []) -> int:
        """Record again what tells commitments and stands in entries that are about to go; gives how many.

        `deeds` gives what records again what was done under those that are still owed.
        """
        self.follow()
        found = [place_operation(entry) for entry in self._entries("upto", last)]
        by_place: dict[str, list[PlacedOperation]] = {}
        for one in found:
            if one is not None:
                by_place.setdefault(one.operation.workspace, []).append(one)
        kept = [one for place, ones in by_place.items() for one in needed(ones, self._states[place])]
        for one in kept:
            self._ledger.append(CARRIED, SYSTEM, one.operation.workspace, carried_body(one))
        owed = {
            one.id: place
            for place, state in self._states.items()
            for one in state.commitments.values()
            if not one.ended
        }
        done = deeds(list(owed), last) if owed else []
        for body in done:
            self._ledger.append(CARRIED, SYSTEM, owed[body["commitment_id"]], body)
        if (kept or done) and not self._flush():
            raise LedgerError("cannot record: the commitments could not be carried over; try again")
        return len(kept) + len(done)

    def _entries(self, name: str, *values: int) -> list[Entry]:
        try:
            return [Entry(*row) for row in self._connection.execute(self._sql[name], values)]
        except sqlite3.Error as error:
            raise LedgerError(f"cannot read the ledger: {explain(error)}") from error

    def _take(self, operation: Operation) -> None:
        state = self._states.get(operation.workspace)
        if state is None:
            state = self._states[operation.workspace] = State()
        if state.take(operation) is None:
            return
        self._ids.add(operation.id)
        name = operation.payload.get("commitment")
        commitment = state.commitments.get(name) if isinstance(name, str) else None
        if commitment is not None:
            self._places[commitment.id] = operation.workspace
            self._claims.follow(commitment, operation.workspace, claimed=operation.op == "claim")
            if not commitment.active:
                self._facts.pop(commitment.id, None)

    def enrich(self, event: Event, name: str, policy: CommitmentPolicy) -> Event:
        """The event with the commitment its session is at work on."""
        about = self.facts(name, policy)
        if event.name == EventName.SESSION_END:
            self.end_session(event.session_id)
        return msgspec.structs.replace(event, commitment_id=name, commitment=about)

    def end_session(self, session: str) -> None:
        """What a session that is over has claimed goes on with its owners."""
        self._claims.end(session, self._places)

    def end_sessions(self, alive: Callable[[str], bool]) -> None:
        """The same of every session that is over; nobody may have said so while no daemon ran."""
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
        known = self._facts.get(name)
        if known is not None and known[0] is policy and known[1] is commitment:
            return known[2]
        facts = facts_of(commitment, state, policy)
        self._facts[name] = (policy, commitment, facts)
        return facts


def facts_of(commitment: Commitment, state: State, policy: CommitmentPolicy) -> JsonObject:
    """What is told of a commitment to conditions and gates."""
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
    """Refuse what cannot be written as plain JSON, or not in reasonable room."""
    try:
        size = len(write_down(operation.body()))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RefusedError(Code.INVALID_OP, f"it cannot be recorded ({error})", "use plain JSON") from error
    if size > _LARGEST:
        raise RefusedError(Code.INVALID_OP, f"it takes {size} bytes", f"use at most {_LARGEST}")
