"""Whether an operation may be recorded: the one place that lists the checks, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.authors import check_provenance, check_role
from interlock.features.commitments.constraints import SYSTEM, check_permission
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.operation import KNOWN, Operation
from interlock.features.commitments.operations import check_payload
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import Commitment
from interlock.features.commitments.reviews import Review
from interlock.features.commitments.standing import check_constraints, check_standing
from interlock.features.commitments.state import State
from interlock.features.commitments.validation import ValidatorResult, check_validators
from interlock.policy.files.words import hint

# Kinds of memories that are drawn from something, and must say from what.
CITING: Final = frozenset({"finding", "step_result", "learning"})


def check_references(operation: Operation, state: State) -> None:
    """Refuse an operation that names what is not there, or two things where one is meant."""
    payload = operation.payload
    for name in ("refs",):
        for one in payload.get(name, ()):
            if one not in state.ids:
                raise _missing_error(name, one, "record")
    check = _CHECKS.get(operation.op)
    if check is not None:
        check(payload, state)
    elif "commitment" in payload:
        _commitment("commitment", payload["commitment"], state)


def _capture(payload: JsonObject, _: State) -> None:
    if payload.get("kind") in CITING and not payload.get("refs"):
        raise RefusedError(
            Code.CITATION_REQUIRED,
            f"a {payload['kind']} must name its sources",
            "give their ids with `--ref`",
            field="refs",
        )


def _commit(payload: JsonObject, state: State) -> None:
    _memory("source", payload["source"], state)


def _close(payload: JsonObject, state: State) -> None:
    evidence, duplicate = payload.get("evidence"), payload.get("duplicate_of")
    if not evidence and not duplicate:
        raise RefusedError(
            Code.MISSING_FIELD,
            "closing needs `evidence` or `duplicate_of`",
            "capture evidence that it is done and name it",
            field="evidence",
        )
    if evidence and duplicate:
        raise _unclear("a commitment is closed with `evidence` or as `duplicate_of`, not both")
    _commitment("commitment", payload["commitment"], state)
    if evidence:
        _memory("evidence", evidence, state)
        return
    _commitment("duplicate_of", duplicate, state)
    if duplicate == payload["commitment"]:
        raise _unclear("a commitment cannot be a duplicate of itself")


def _annotate(payload: JsonObject, state: State) -> None:
    _record("target", payload["target"], state)


def _link(payload: JsonObject, state: State) -> None:
    _record("source", payload["source"], state)
    _commitment("target", payload["target"], state)
    if payload["source"] == payload["target"]:
        raise _unclear("a commitment cannot be linked to itself")


def _dismiss(payload: JsonObject, state: State) -> None:
    _memory("memory", payload["memory"], state)


def _triage(payload: JsonObject, state: State) -> None:
    for one in payload["reviewed"]:
        _memory("reviewed", one, state)
    for decision in payload.get("decisions", ()):
        if decision["memory"] not in payload["reviewed"]:
            raise _unclear(f"`{decision['memory']}` was not reviewed, since it was already decided")
        if decision["action"] in {"create", "link"} or "target" in decision:
            _commitment("target", decision.get("target"), state)


def _submit(payload: JsonObject, state: State) -> None:
    _commitment("commitment", payload["commitment"], state)
    for one in payload["evidence"]:
        _memory("evidence", one, state)


def _publish(payload: JsonObject, state: State) -> None:
    if "source" in payload:
        _record("source", payload["source"], state)


_CHECKS: Final[dict[str, Callable[[JsonObject, State], None]]] = {
    "capture": _capture,
    "commit": _commit,
    "close": _close,
    "annotate": _annotate,
    "link": _link,
    "dismiss": _dismiss,
    "triage": _triage,
    "submit": _submit,
    "publish": _publish,
}


def _memory(field: str, name: Any, state: State) -> None:
    if name not in state.memories:
        raise _missing_error(field, name, "memory")


def _commitment(field: str, name: Any, state: State) -> None:
    if name not in state.commitments:
        raise _missing_error(field, name, "commitment")


def _record(field: str, name: Any, state: State) -> None:
    if state.record(name) is None:
        raise _missing_error(field, name, "memory or commitment")


def _missing_error(field: str, name: Any, what: str) -> RefusedError:
    return RefusedError(
        Code.REF_NOT_FOUND,
        f"there is no {what} `{name}` in this workspace",
        "`interlock commitment list` lists them",
        field=field,
        value=name,
    )


def _unclear(sentence: str) -> RefusedError:
    return RefusedError(Code.INVALID_OP, sentence, "correct the field it names")


GATE: Final = "approval_gate"  # the constraint that an approval is waited for
_LONGEST_NAME: Final = 200
_ENDING: Final = frozenset({"close", "approve"})


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation is judged with besides the state."""

    policy: CommitmentPolicy = CommitmentPolicy()
    person: bool = True  # False: an agent's process asks, whatever its name is
    now: str = ""  # as the ledger writes times
    review: Callable[[Commitment], Review | None] | None = None  # what the policy's gates say of a commitment
    validated: tuple[ValidatorResult, ...] | None = ()  # what came of validators; None: they are still to run

    def gated(self, commitment: Commitment | None) -> Review | None:
        """How the approval of a commitment stands; None where no gate means it."""
        return self.review(commitment) if self.review is not None and commitment is not None else None


def check(operation: Operation, state: State, around: Circumstances) -> None:
    """Raise RefusedError for the first thing that is wrong; the order is part of the contract."""
    _envelope(operation)
    _duplicates(operation, state)
    check_permission(operation.actor, operation.op, around.policy)
    check_role(operation, around.policy)
    check_payload(operation.op, operation.payload)
    check_references(operation, state)
    check_provenance(operation, state)
    review = _review(operation, state, around)
    approved = review is not None and review.approved
    # A yes to other content than there is now is refused below, in its own words.
    answered = approved or (review is not None and review.state == "stale")
    check_standing(operation, state, around.now, approved=answered)
    check_constraints(operation, state, around.policy, person=around.person, approved=answered)
    if around.validated is not None:
        check_validators(operation, state, around.policy, around.validated)
    if review is not None and not approved:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            (review.note or "it needs an approval first").rstrip("."),
            f"see `interlock approvals show {review.name}`" if review.name else "wait for it",
            constraint=GATE,
            approval=review.name or None,
        )


def _review(operation: Operation, state: State, around: Circumstances) -> Review | None:
    """What a gate says of the commitment that would end; what Interlock does itself was judged before."""
    if operation.op not in _ENDING or operation.actor == SYSTEM:
        return None
    name = operation.payload.get("commitment")
    return around.gated(state.commitments.get(name) if isinstance(name, str) else None)


def _envelope(operation: Operation) -> None:
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


def _duplicates(operation: Operation, state: State) -> None:
    if operation.id in state.ids:
        raise RefusedError(
            Code.DUPLICATE_ID, f"`{operation.id}` already exists", "choose another id", id=operation.id
        )
    key = operation.source_key
    if key is not None and key in state.source_keys:
        known = state.source_keys[key]
        raise RefusedError(
            Code.DUPLICATE_SOURCE_KEY,
            f"`{key}` was already recorded, as `{known}`",
            "use the existing one, or another key for something new",
            source_key=key,
            id=known,
        )
