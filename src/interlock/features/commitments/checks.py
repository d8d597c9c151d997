"""Whether an operation may be recorded: all checks, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.authors import check_provenance, check_role
from interlock.features.commitments.constraints import (
    SYSTEM,
    check_constraints,
    check_permission,
    check_standing,
    check_validators,
)
from interlock.features.commitments.operations import FIELDS, check_payload
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import (
    KNOWN,
    Code,
    Commitment,
    Operation,
    RefusedError,
    ValidatorResult,
)
from interlock.features.commitments.state import State
from interlock.policy.files.words import hint

if TYPE_CHECKING:
    from interlock.daemon.policy_loader import Loaded
    from interlock.features.commitments.records import Commitment
    from interlock.features.commitments.service import Caller


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a gate's request."""

    name: str  # `ap_7`
    state: str  # pending, approved, denied, expired, stale: the content changed since the approval
    by: str | None = None  # who answered
    new: bool = False  # it was opened just now
    note: str | None = None  # why it could not be put into review, or the note of a denial
    before: str | None = None  # what became of the request before it

    @property
    def approved(self) -> bool:
        return self.state == "approved"


class CommitmentReviews(Protocol):
    """Asks people about commitments if a policy wants that. Gates do."""

    def any_wanted(self, loaded: Loaded) -> bool:
        """Whether a policy has gates at all."""

    def of_commitment(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> Review | None:
        """The state of the review; None if no gate applies."""

    def sent_back(self, commitment: str, loaded: Loaded, by: str, note: str | None) -> None:
        """Sending work back denies what a gate asked about it."""

    async def look(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> None:
        """Find out whether the content that was approved is still the content there is."""

    async def ask_about(
        self, commitment: Commitment, loaded: Loaded, caller: Caller, *, submitted: bool
    ) -> list[Review]:
        """Ask what still has to be asked; a submission asks anew what was denied. Returns what waits."""


# Kinds of memories that are drawn from others, and must say from which.
_CITING: Final = frozenset({"finding", "step_result", "learning"})


def check_references(operation: Operation, state: State) -> None:
    """Refuse an operation that names a record that does not exist, or two records where one is meant."""
    op, payload = operation.op, operation.payload
    if op == "close":
        _check_reason_to_close(payload)
    for name, field in FIELDS[op].items():
        value = payload.get(name)
        for item in value if isinstance(value, list) else [value]:
            if field.names is not None and item is not None:
                _check_name(name, item, field.names, state)
    if op == "capture" and payload.get("kind") in _CITING and not payload.get("refs"):
        raise RefusedError(
            Code.CITATION_REQUIRED,
            f"a {payload['kind']} must name its sources",
            "give their ids with `--ref`",
            field="refs",
        )
    if op == "close" and payload.get("duplicate_of") == payload["commitment"]:
        raise _invalid("a commitment cannot be a duplicate of itself", "name another commitment")
    if op == "link" and payload["source"] == payload["target"]:
        raise _invalid("a commitment cannot be linked to itself", "name another record")
    if op == "triage":
        _check_decisions(payload, state)


def _check_decisions(payload: JsonObject, state: State) -> None:
    for decision in payload.get("decisions", ()):
        if decision["memory"] not in payload["reviewed"]:
            raise _invalid(
                f"a decision names `{decision['memory']}`, which was not reviewed", "add it to `reviewed`"
            )
        if decision["action"] in {"create", "link"} or "target" in decision:
            _check_name("target", decision.get("target"), "commitment", state)


def _check_reason_to_close(payload: JsonObject) -> None:
    evidence, duplicate = payload.get("evidence"), payload.get("duplicate_of")
    if not evidence and not duplicate:
        raise RefusedError(
            Code.MISSING_FIELD,
            "closing needs `evidence` or `duplicate_of`",
            "capture evidence that it is done and name it",
            field="evidence",
        )
    if evidence and duplicate:
        raise _invalid(
            "a commitment is closed with `evidence` or as `duplicate_of`, not both", "leave one of them out"
        )


def _check_name(field: str, name: Any, what: str, state: State) -> None:
    exists = {
        "memory": name in state.memories,
        "commitment": name in state.commitments,
        "record": name in state.ids,
    }
    if not exists.get(what, exists["memory"] or exists["commitment"]):
        command = "list" if what == "commitment" else "tree"
        raise RefusedError(
            Code.REF_NOT_FOUND,
            f"there is no {what} `{name}` in this workspace",
            f"`interlock commitment {command}` lists them",
            field=field,
            value=name,
        )


def _invalid(sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.INVALID_OP, sentence, next_step)


GATE: Final = "approval_gate"  # the constraint that waits for an approval
_LONGEST_NAME: Final = 200
_ENDING: Final = frozenset({"close", "approve"})


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation is judged by besides the state."""

    policy: CommitmentPolicy = CommitmentPolicy()
    person: bool = True  # False: an agent's process, whatever name it gives
    now: str = ""  # as the ledger writes times
    review: Callable[[Commitment], Review | None] | None = None  # the state of a commitment's gates
    validated: tuple[ValidatorResult, ...] | None = ()  # None: the validators have not run yet

    def gated(self, commitment: Commitment | None) -> Review | None:
        """The approval of a commitment; None if no gate applies to it."""
        return self.review(commitment) if self.review is not None and commitment is not None else None


def check(operation: Operation, state: State, context: Circumstances) -> None:
    """Raise RefusedError for the first thing that is wrong; callers rely on the order."""
    _check_envelope(operation)
    _check_duplicates(operation, state)
    check_permission(operation.actor, operation.op, context.policy)
    check_role(operation, context.policy)
    check_payload(operation.op, operation.payload)
    check_references(operation, state)
    check_provenance(operation, state)
    review = _find_review(operation, state, context)
    approved = review is not None and review.approved
    # A stale approval is refused below, with its own message.
    answered = approved or (review is not None and review.state == "stale")
    check_standing(operation, state, context.now, approved=answered)
    check_constraints(operation, state, context.policy, person=context.person, approved=answered)
    if context.validated is not None:
        check_validators(operation, state, context.policy, context.validated)
    if review is not None and not approved:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            (review.note or "it needs an approval first").rstrip("."),
            f"see `interlock approvals show {review.name}`" if review.name else "wait for it",
            constraint=GATE,
            approval=review.name or None,
        )


def _find_review(operation: Operation, state: State, context: Circumstances) -> Review | None:
    """What a gate says about ending this commitment. Interlock's own operations were judged before."""
    if operation.op not in _ENDING or operation.actor == SYSTEM:
        return None
    return context.gated(state.commitment_of(operation))


def _check_envelope(operation: Operation) -> None:
    for field in ("id", "op", "ts", "actor"):
        if not getattr(operation, field):
            raise RefusedError(
                Code.MISSING_FIELD, f"the operation has no `{field}`", "give it one", field=field
            )
    if operation.op not in KNOWN:
        raise RefusedError(
            Code.INVALID_OP, f"unknown operation `{operation.op}`", hint(operation.op, sorted(KNOWN))
        )
    if not operation.workspace:
        raise RefusedError(Code.NO_WORKSPACE, "this folder belongs to no project", "run it in a repository")
    for field in ("actor", "source_key"):
        value = getattr(operation, field)
        if value is not None and (not value.isprintable() or len(value) > _LONGEST_NAME):
            raise RefusedError(
                Code.INVALID_OP,
                f"`{field}` is not a printable text of at most {_LONGEST_NAME} characters",
                "choose another",
                field=field,
            )


def _check_duplicates(operation: Operation, state: State) -> None:
    if operation.id in state.ids:
        raise RefusedError(
            Code.DUPLICATE_ID, f"`{operation.id}` already exists", "choose another id", id=operation.id
        )
    key = operation.source_key
    if key is not None and key in state.source_keys:
        earlier = state.source_keys[key]
        raise RefusedError(
            Code.DUPLICATE_SOURCE_KEY,
            f"`{key}` was already recorded, as `{earlier}`",
            "use the existing one, or another key for something new",
            source_key=key,
            id=earlier,
        )
