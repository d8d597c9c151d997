"""What can be done to a commitment as it stands, and what the policy asks before it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interlock.features.commitments.constraints import (
    SYSTEM,
    check_claim,
    check_person,
    check_validation,
    is_person,
    tier_of,
)
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.operation import Operation
from interlock.features.commitments.policy import CommitmentPolicy, Tier
from interlock.features.commitments.records import Commitment, Status
from interlock.features.commitments.state import State


def check_standing(operation: Operation, state: State, now: str, *, approved: bool = False) -> None:
    """Refuse what the commitment's state or owner does not admit; `approved`: a person said yes at a gate."""
    if operation.op == "dismiss" and operation.payload["memory"] in state.sources:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"`{operation.payload['memory']}` is the source of a commitment",
            "close or cancel the commitment instead",
        )
    check = _CHECKS.get(operation.op)
    if check is None:
        return
    commitment = state.commitments[operation.payload["commitment"]]
    check(commitment, operation, now)
    if operation.op == "close" and commitment.state is Status.IN_REVIEW and not approved:
        # Else whoever waits for an approval could do without it.
        _not_ones_own(commitment, operation, "close")


def check_constraints(
    operation: Operation, state: State, policy: CommitmentPolicy, *, person: bool, approved: bool = False
) -> None:
    """Refuse what the policy's constraints do not admit; what Interlock does itself was judged before."""
    name = operation.payload.get("commitment")
    commitment = state.commitments.get(name) if isinstance(name, str) else None
    if commitment is None or operation.actor == SYSTEM:
        return
    human = person and is_person(operation.actor)
    if operation.op == "close":
        check_claim(commitment, operation.actor, state, policy)
    check_person(commitment, operation.op, human, state, policy)
    if operation.op == "submit":
        _check_tier(commitment, operation, state, policy)
    if operation.op in {"approve", "close"}:
        check_validation(commitment, state, policy)
        if tier_of(commitment, state, policy) is Tier.TIER_3 and not (human or approved):
            raise RefusedError(
                Code.CONSTRAINT_VIOLATED,
                f"`{commitment.id}` is tier 3, which a person closes",
                "submit it and ask a person to approve it",
                constraint="tier_3",
            )


def _check_tier(commitment: Commitment, operation: Operation, state: State, policy: CommitmentPolicy) -> None:
    least = tier_of(commitment, state, policy)
    asked = operation.payload.get("tier")
    if asked is not None and Tier(asked) < least:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"the tags of `{commitment.id}` give it {least}, and `{asked}` is less strict",
            "leave the tier out",
            constraint="tier",
        )


def _claim(commitment: Commitment, operation: Operation, _: str) -> None:
    _not_ended(commitment)
    if commitment.owner is not None and commitment.owner != operation.actor:
        raise RefusedError(
            Code.ALREADY_CLAIMED,
            f"`{commitment.id}` is claimed by `{commitment.owner}`",
            "choose another one, or ask them to release it",
            commitment=commitment.id,
            owner=commitment.owner,
        )


def _release(commitment: Commitment, operation: Operation, _: str) -> None:
    _not_ended(commitment)
    _owned(commitment, operation.actor)


def _submit(commitment: Commitment, operation: Operation, _: str) -> None:
    _not_ended(commitment)
    if commitment.state is not Status.CLAIMED:
        raise _unfit(commitment, "submitted", f"run `interlock claim {commitment.id}` first")
    _owned(commitment, operation.actor)


def _approve(commitment: Commitment, operation: Operation, _: str) -> None:
    if commitment.state is not Status.IN_REVIEW:
        raise _unfit(commitment, "approved", "only a commitment in review can be")
    _not_ones_own(commitment, operation, "approve")


def _reopen(commitment: Commitment, _: Operation, now: str) -> None:
    if commitment.state not in {Status.IN_REVIEW, Status.CLOSED}:
        raise _unfit(commitment, "reopened", "only a commitment in review or closed can be")
    until = commitment.reopen_until
    if commitment.state is Status.CLOSED and until is not None and now > until:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"`{commitment.id}` could be reopened until {until}",
            "capture what you found and make a new commitment",
            constraint="window",
        )


def _close(commitment: Commitment, operation: Operation, _: str) -> None:
    _not_ended(commitment)
    if "duplicate_of" in operation.payload and commitment.owner not in {None, operation.actor}:
        raise _not_owner(commitment, operation.actor)


def _cancel(commitment: Commitment, operation: Operation, _: str) -> None:
    _not_ended(commitment)
    if operation.actor not in {commitment.actor, commitment.owner}:
        raise _not_owner(commitment, operation.actor)


_CHECKS: Final[dict[str, Callable[[Commitment, Operation, str], None]]] = {
    "claim": _claim,
    "release": _release,
    "submit": _submit,
    "approve": _approve,
    "reopen": _reopen,
    "reject": _reopen,
    "close": _close,
    "cancel": _cancel,
}


def _not_ended(commitment: Commitment) -> None:
    if commitment.ended:
        raise RefusedError(
            Code.ALREADY_CLOSED,
            f"`{commitment.id}` is {commitment.state}",
            "reopen it first" if commitment.state is Status.CLOSED else "make a new one with `commit`",
            commitment=commitment.id,
        )


def _owned(commitment: Commitment, actor: str) -> None:
    if commitment.owner != actor:
        raise _not_owner(commitment, actor)


def _not_owner(commitment: Commitment, actor: str) -> RefusedError:
    owner = f"`{commitment.owner}`" if commitment.owner else "nobody"
    return RefusedError(
        Code.NOT_OWNER,
        f"`{commitment.id}` is owned by {owner}, not by `{actor}`",
        "only the owner can do this",
        commitment=commitment.id,
        owner=commitment.owner,
        actor=actor,
    )


def _not_ones_own(commitment: Commitment, operation: Operation, does: str) -> None:
    if operation.actor != SYSTEM and operation.actor in {commitment.submitted_by, commitment.owner}:
        raise RefusedError(
            Code.PERMISSION_DENIED,
            f"you cannot {does} your own work: `{operation.actor}` submitted or owns `{commitment.id}`",
            "ask someone else to look at it",
            actor=operation.actor,
            operation=operation.op,
        )


def _unfit(commitment: Commitment, done: str, next_step: str) -> RefusedError:
    return RefusedError(
        Code.INVALID_OP,
        f"`{commitment.id}` is {commitment.state} and cannot be {done}",
        next_step,
        commitment=commitment.id,
        state=commitment.state,
    )
