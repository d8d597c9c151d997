"""What closing a commitment needs beyond being allowed to: a claim, a person, a validation."""

from __future__ import annotations

from typing import Final

from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.policy import (
    CommitmentPolicy,
    FileRules,
    Match,
    Tier,
    ValidationRule,
    actor_fits,
)
from interlock.features.commitments.records import Commitment, Memory
from interlock.features.commitments.state import State

SYSTEM: Final = "system"  # Interlock itself, which closes what needs nobody's look
_NOT_PEOPLE: Final = ("agent:", "bot:", "service:")


def is_person(actor: str) -> bool:
    """Whether a name is a person's."""
    return actor != SYSTEM and not actor.startswith(_NOT_PEOPLE)


def check_permission(actor: str, op: str, policy: CommitmentPolicy) -> None:
    """Refuse what a file forbids: its entry for the actor, else its defaults; neither is a refusal too."""
    if actor == SYSTEM:
        return
    known = False  # to an earlier file, by an entry of its own
    for part in policy.parts:
        if not part.speaks:
            continue
        allowed, by_entry = _allowed(part, actor)
        if allowed is None and known:
            continue
        if allowed is None or op not in allowed:
            raise RefusedError(
                Code.PERMISSION_DENIED,
                f"`{actor}` may not {op} ({_why(part, listed=by_entry)})",
                "ask someone who may, or list the operation there",
                actor=actor,
                operation=op,
            )
        known = known or by_entry


def _allowed(part: FileRules, actor: str) -> tuple[frozenset[str] | None, bool]:
    entry = part.entry_of(actor)
    if entry is not None and entry.operations is not None:
        return entry.operations, True
    return part.anybody, False


def _why(part: FileRules, *, listed: bool) -> str:
    if listed:
        return f"the operations listed for it in {part.file}"
    return (
        f"{part.file} lists no operations for it" if part.anybody is None else f"the defaults of {part.file}"
    )


def check_claim(commitment: Commitment, actor: str, state: State, policy: CommitmentPolicy) -> None:
    """Refuse to close what its closer does not own, where the policy wants that."""
    for part in policy.parts:
        for match in part.require_claim:
            if _fits(match, commitment, state) and commitment.owner != actor:
                raise _violated(
                    "require_claim",
                    f"`{commitment.id}` is closed by its owner, and `{actor}` is not the owner",
                    f"run `interlock claim {commitment.id}` first",
                )


def check_person(
    commitment: Commitment, op: str, person: bool, state: State, policy: CommitmentPolicy
) -> None:
    """Refuse what the policy leaves to people when no person does it."""
    if not person and needs_person(commitment, op, state, policy):
        raise _violated(
            "require_human",
            f"only a person may {op} `{commitment.id}`",
            "let a person do it",
        )


def needs_person(commitment: Commitment, op: str, state: State, policy: CommitmentPolicy) -> bool:
    """Whether a rule leaves this operation to people; approving is a way of closing."""
    meant = {op, "close"} if op == "approve" else {op}
    return any(
        rule.operation in meant and _fits(rule.match, commitment, state)
        for part in policy.parts
        for rule in part.require_human
    )


def check_validation(commitment: Commitment, state: State, policy: CommitmentPolicy) -> None:
    """Refuse to close without the validation the policy wants."""
    missing = missing_validation(commitment, state, policy)
    if missing is not None:
        raise _violated(
            "require_validation",
            f"`{commitment.id}` has no approved validation by `{missing}`",
            f"capture one: kind `validation`, ref `{commitment.id}`, meta `approved: true`",
        )


def missing_validation(commitment: Commitment, state: State, policy: CommitmentPolicy) -> str | None:
    """Whose validation is missing, or None."""
    for part in policy.parts:
        for rule in part.require_validation:
            if _fits(rule.match, commitment, state) and not _validated(rule, commitment, state):
                return rule.validator
    return None


def tier_of(commitment: Commitment, state: State, policy: CommitmentPolicy) -> Tier:
    """The tier of a commitment under this policy; one it was submitted under can only be raised."""
    source = state.memories.get(commitment.source)
    tier = policy.tier(commitment.tags, commitment.actor, source.kind if source else None)
    return max(tier, Tier(commitment.tier)) if commitment.tier in tuple(Tier) else tier


def _validated(rule: ValidationRule, commitment: Commitment, state: State) -> bool:
    return any(
        memory.kind == "validation"
        and _names(memory, commitment.id)
        and actor_fits(rule.validator, memory.actor)
        # A validator who did the work would judge it twice.
        and memory.actor not in {commitment.owner, commitment.submitted_by}
        and (memory.meta.get("approved") is True or memory.meta.get("passed") is True)
        for memory in state.memories.values()
    )


def _names(memory: Memory, name: str) -> bool:
    return name in memory.refs or memory.meta.get("validates") == name


def _fits(match: Match, commitment: Commitment, state: State) -> bool:
    source = state.memories.get(commitment.source)
    return match.fits(commitment.tags, commitment.actor, source.kind if source else None)


def _violated(constraint: str, sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.CONSTRAINT_VIOLATED, sentence, next_step, constraint=constraint)
