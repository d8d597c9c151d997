"""Which validators must pass before a commitment is submitted or closed, and their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.constraints import SYSTEM, tier_of
from interlock.features.commitments.policy import CommitmentPolicy, Tier, Validator
from interlock.features.commitments.records import Code, Operation, RefusedError, new_id
from interlock.features.commitments.state import State

KIND: Final = (
    "validator_result"  # of the memories; a `validation` is captured by somebody, these by Interlock
)
VALIDATED: Final = frozenset({"submit", "close"})
_LONGEST: Final = 4_000


class ValidatorResult(msgspec.Struct, frozen=True, kw_only=True):
    word: str
    file: str
    passed: bool
    told: str = ""  # what is wrong
    duration_ms: float = 0.0

    @property
    def document(self) -> JsonObject:
        about: JsonObject = {"validator": self.word, "file": self.file, "passed": self.passed}
        return {**about, "duration_ms": self.duration_ms, **({"told": self.told} if self.told else {})}


def wanted_validators(
    op: str, payload: JsonObject, state: State, policy: CommitmentPolicy
) -> tuple[Validator, ...]:
    """The validators an operation needs. Closing a duplicate needs none."""
    commitment = state.commitments.get(str(payload.get("commitment", "")))
    if op not in VALIDATED or commitment is None or "duplicate_of" in payload:
        return ()
    asked, tier = payload.get("tier"), tier_of(commitment, state, policy)
    return policy.validators(max(tier, Tier(asked)) if asked in tuple(Tier) else tier)


def check_validators(
    operation: Operation, state: State, policy: CommitmentPolicy, validated: Sequence[ValidatorResult]
) -> None:
    """Refuse what did not pass, or did not run."""
    if operation.actor == SYSTEM:
        return
    passed = {(one.word, one.file) for one in validated if one.passed}
    missing = [
        one.word
        for one in wanted_validators(operation.op, operation.payload, state, policy)
        if (one.word, one.file) not in passed
    ]
    if missing:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"required checks have not run ({', '.join(dict.fromkeys(missing))})",
            f"use `interlock {operation.op}`, which runs them",
            constraint="validators",
        )


def failing(operation: str, name: str, validated: Sequence[ValidatorResult]) -> RefusedError:
    told = "; ".join(f"{one.word}: {one.told}" for one in validated if not one.passed)
    return RefusedError(
        Code.CONSTRAINT_VIOLATED,
        f"`{name}` did not pass its validators ({told})",
        f"fix that and {operation} it again",
        constraint="validators",
        validators=[one.document for one in validated],
    )


def result_memories(
    like: Operation, name: str, validated: Sequence[ValidatorResult], ids: set[str]
) -> Iterator[Operation]:
    """A memory of each result, captured by Interlock itself."""
    for one in validated:
        said = "passed" if one.passed else f"failed: {one.told}"
        yield msgspec.structs.replace(
            like,
            op="capture",
            id=new_id("capture", ids),
            actor=SYSTEM,
            payload={"body": f"{one.word} {said}"[:_LONGEST], "kind": KIND, "refs": [name]},
            meta={"validator": one.word, "passed": one.passed, "file": one.file, "ms": one.duration_ms},
            source_key=None,
            claimed_actor=None,
            authenticated_by=None,
        )
