"""What closing a commitment needs beyond permission: a claim, a person, a validation, the right state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from interlock.events.tool import JsonObject
from interlock.features.commitments.policy import (
    AnyMatch,
    CommitmentPolicy,
    Tier,
    ValidationConstraint,
    Validator,
    actor_fits,
    fits,
)
from interlock.features.commitments.records import (
    Code,
    Commitment,
    Operation,
    RefusedError,
    Status,
    ValidatorResult,
)
from interlock.features.commitments.state import State

SYSTEM: Final = "system"  # Interlock itself, which closes what nobody has to review
VALIDATED: Final = frozenset({"submit", "close"})  # validators run before these
_NOT_PEOPLE: Final = ("agent:", "bot:", "service:")


def is_person(actor: str) -> bool:
    return actor != SYSTEM and not actor.startswith(_NOT_PEOPLE)


def check_permission(actor: str, op: str, policy: CommitmentPolicy) -> None:
    """Refuse what a file's entry for the actor, or else its defaults, do not list; or if it has neither."""
    if actor == SYSTEM:
        return
    has_entry = False  # whether an earlier file has an entry for the actor
    for part in policy.parts:
        if not part.speaks:
            continue
        entry = part.entry_of(actor)
        operations = entry.operations if entry is not None else None
        allowed = part.anybody if operations is None else operations
        if allowed is None and has_entry:
            continue
        if allowed is None or op not in allowed:
            if operations is not None:
                why = f"the operations listed for it in {part.file}"
            else:
                none = f"{part.file} lists no operations for it"
                why = none if allowed is None else f"the defaults of {part.file}"
            raise RefusedError(
                Code.PERMISSION_DENIED,
                f"`{actor}` may not {op} ({why})",
                "ask someone who may, or list the operation there",
                actor=actor,
                operation=op,
            )
        has_entry = has_entry or operations is not None


def needs_person(commitment: Commitment, op: str, state: State, policy: CommitmentPolicy) -> bool:
    """Whether a rule leaves this operation to people. Approving is a way of closing."""
    operations = {op, "close"} if op == "approve" else {op}
    return any(
        rule.operation in operations and _fits(rule.match, commitment, state)
        for part in policy.parts
        for rule in part.constraints.require_human
    )


def missing_validation(commitment: Commitment, state: State, policy: CommitmentPolicy) -> str | None:
    """Whose validation is missing, or None."""
    for part in policy.parts:
        for rule in part.constraints.require_validation:
            if _fits(rule.match, commitment, state) and not _is_validated(rule, commitment, state):
                return rule.validator
    return None


def tier_of(commitment: Commitment, state: State, policy: CommitmentPolicy) -> Tier:
    """The tier of a commitment under this policy. The tier it was submitted under can only be raised."""
    source = state.memories.get(commitment.source)
    tier = policy.tier(commitment.tags, commitment.actor, source.kind if source else None)
    return max(tier, Tier(commitment.tier)) if commitment.tier in tuple(Tier) else tier


def _is_validated(rule: ValidationConstraint, commitment: Commitment, state: State) -> bool:
    return any(
        memory.kind == "validation"
        and (commitment.id in memory.refs or memory.meta.get("validates") == commitment.id)
        and actor_fits(rule.validator, memory.actor)
        # Nobody validates their own work.
        and memory.actor not in {commitment.owner, commitment.submitted_by}
        and (memory.meta.get("approved") is True or memory.meta.get("passed") is True)
        for memory in state.memories.values()
    )


def _fits(match: AnyMatch, commitment: Commitment, state: State) -> bool:
    source = state.memories.get(commitment.source)
    return fits(match, commitment.tags, commitment.actor, source.kind if source else None)


def check_standing(operation: Operation, state: State, now: str, *, approved: bool = False) -> None:
    """Refuse what the commitment's state or owner does not permit; `approved`: by a person at a gate."""
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
        # Otherwise an owner could close what waits for an approval.
        _check_not_own(commitment, operation, "close")


def check_constraints(
    operation: Operation, state: State, policy: CommitmentPolicy, *, person: bool, approved: bool = False
) -> None:
    """Refuse what the policy's constraints do not permit. Interlock's own operations were judged before."""
    commitment = state.commitment_of(operation)
    if commitment is None or operation.actor == SYSTEM:
        return
    human = person and is_person(operation.actor)
    op, actor, name = operation.op, operation.actor, commitment.id
    tier = tier_of(commitment, state, policy)
    requested_tier = operation.payload.get("tier")
    claims = (rule.match for part in policy.parts for rule in part.constraints.require_claim)
    if (
        op == "close"
        and commitment.owner != actor
        and any(_fits(match, commitment, state) for match in claims)
    ):
        raise _violation(
            "require_claim",
            f"`{name}` is closed by its owner, and `{actor}` is not the owner",
            f"run `interlock claim {name}` first",
        )
    if not human and needs_person(commitment, op, state, policy):
        raise _violation("require_human", f"only a person may {op} `{name}`", "let a person do it")
    if op == "submit" and requested_tier is not None and Tier(requested_tier) < tier:
        raise _violation(
            "tier",
            f"the tags of `{name}` give it {tier}, and `{requested_tier}` is less strict",
            "leave the tier out",
        )
    if op not in {"approve", "close"}:
        return
    if (missing := missing_validation(commitment, state, policy)) is not None:
        raise _violation(
            "require_validation",
            f"`{name}` has no approved validation by `{missing}`",
            f"capture one: kind `validation`, ref `{name}`, meta `approved: true`",
        )
    if tier is Tier.TIER_3 and not (human or approved):
        raise _violation(
            "tier_3",
            f"`{name}` is tier 3, which a person closes",
            "submit it and ask a person to approve it",
        )


def _violation(constraint: str, sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.CONSTRAINT_VIOLATED, sentence, next_step, constraint=constraint)


def _check_claim(commitment: Commitment, operation: Operation, _: str) -> None:
    _check_not_ended(commitment)
    if commitment.owner is not None and commitment.owner != operation.actor:
        raise RefusedError(
            Code.ALREADY_CLAIMED,
            f"`{commitment.id}` is claimed by `{commitment.owner}`",
            "choose another one, or ask them to release it",
            commitment=commitment.id,
            owner=commitment.owner,
        )


def _check_release(commitment: Commitment, operation: Operation, _: str) -> None:
    _check_not_ended(commitment)
    _check_owner(commitment, operation.actor)


def _check_submit(commitment: Commitment, operation: Operation, _: str) -> None:
    _check_not_ended(commitment)
    if commitment.state is not Status.CLAIMED:
        raise _wrong_state(commitment, "submitted", f"run `interlock claim {commitment.id}` first")
    _check_owner(commitment, operation.actor)


def _check_approve(commitment: Commitment, operation: Operation, _: str) -> None:
    if commitment.state is not Status.IN_REVIEW:
        raise _wrong_state(commitment, "approved", "only a commitment in review can be")
    _check_not_own(commitment, operation, "approve")


def _check_reopen(commitment: Commitment, _: Operation, now: str) -> None:
    if commitment.state not in {Status.IN_REVIEW, Status.CLOSED}:
        raise _wrong_state(commitment, "reopened", "only a commitment in review or closed can be")
    until = commitment.reopen_until
    if commitment.state is Status.CLOSED and until is not None and now > until:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"`{commitment.id}` could be reopened until {until}",
            "capture what you found and make a new commitment",
            constraint="window",
        )


def _check_close(commitment: Commitment, operation: Operation, _: str) -> None:
    _check_not_ended(commitment)
    if "duplicate_of" in operation.payload and commitment.owner not in {None, operation.actor}:
        raise _not_owner(commitment, operation.actor)


def _check_cancel(commitment: Commitment, operation: Operation, _: str) -> None:
    _check_not_ended(commitment)
    if operation.actor not in {commitment.actor, commitment.owner}:
        raise _not_owner(commitment, operation.actor)


_CHECKS: Final[dict[str, Callable[[Commitment, Operation, str], None]]] = {
    "claim": _check_claim,
    "release": _check_release,
    "submit": _check_submit,
    "approve": _check_approve,
    "reopen": _check_reopen,
    "reject": _check_reopen,
    "close": _check_close,
    "cancel": _check_cancel,
}


def _check_not_ended(commitment: Commitment) -> None:
    if commitment.ended:
        raise RefusedError(
            Code.ALREADY_CLOSED,
            f"`{commitment.id}` is {commitment.state}",
            "reopen it first" if commitment.state is Status.CLOSED else "make a new one with `commit`",
            commitment=commitment.id,
        )


def _check_owner(commitment: Commitment, actor: str) -> None:
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


def _check_not_own(commitment: Commitment, operation: Operation, does: str) -> None:
    if operation.actor != SYSTEM and operation.actor in {commitment.submitted_by, commitment.owner}:
        raise RefusedError(
            Code.PERMISSION_DENIED,
            f"you cannot {does} your own work: `{operation.actor}` submitted or owns `{commitment.id}`",
            "ask someone else to approve it",
            actor=operation.actor,
            operation=operation.op,
        )


def _wrong_state(commitment: Commitment, change: str, next_step: str) -> RefusedError:
    return RefusedError(
        Code.INVALID_OP,
        f"`{commitment.id}` is {commitment.state} and cannot be {change}",
        next_step,
        commitment=commitment.id,
        state=commitment.state,
    )


def wanted_validators(
    op: str, payload: JsonObject, state: State, policy: CommitmentPolicy
) -> tuple[Validator, ...]:
    """The validators an operation needs. Closing a duplicate needs none."""
    commitment = state.commitments.get(str(payload.get("commitment", "")))
    if op not in VALIDATED or commitment is None or "duplicate_of" in payload:
        return ()
    requested_tier, tier = payload.get("tier"), tier_of(commitment, state, policy)
    return policy.validators(max(tier, Tier(requested_tier)) if requested_tier in tuple(Tier) else tier)


def check_validators(
    operation: Operation, state: State, policy: CommitmentPolicy, validated: Sequence[ValidatorResult]
) -> None:
    """Refuse what did not pass, or did not run."""
    if operation.actor == SYSTEM:
        return
    passed = {(validator.word, validator.file) for validator in validated if validator.passed}
    missing = [
        validator.word
        for validator in wanted_validators(operation.op, operation.payload, state, policy)
        if (validator.word, validator.file) not in passed
    ]
    if missing:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"required checks have not run ({', '.join(dict.fromkeys(missing))})",
            f"use `interlock {operation.op}`, which runs them",
            constraint="validators",
        )
