"""What one request becomes: the operation, the evidence before it, the approval after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.authors import audit_of, with_author
from interlock.features.commitments.checks import Circumstances, check
from interlock.features.commitments.constraints import (
    SYSTEM,
    VALIDATED,
    missing_validation,
    needs_person,
    tier_of,
)
from interlock.features.commitments.policy import Tier
from interlock.features.commitments.records import Commitment, Operation, ValidatorResult, new_id
from interlock.features.commitments.state import State

Later = Callable[[float], str]  # the time this many seconds from now, as the ledger writes it


def plan_operations(asked: Operation, state: State, around: Circumstances, later: Later) -> list[Operation]:
    """The operations to record. Each is checked after those before it; the first that fails refuses all."""
    draft = state
    plan: list[Operation] = []
    for operation in _steps(asked, state, around, later):
        check(operation, draft, around)
        plan.append(operation)
        draft = draft.after(operation) if asked.op in VALIDATED else draft
    return plan


def _steps(asked: Operation, state: State, around: Circumstances, later: Later) -> Iterator[Operation]:
    asked = with_author(asked, around.policy)
    results = list(result_memories(asked, _name(asked), around.validated or (), state.ids))
    yield from results
    if asked.op == "submit":
        yield from _submission(asked, state, around, later, [one.id for one in results])
    elif asked.op == "publish" and asked.payload.get("version") is None:
        same = (asked.payload.get("module"), asked.payload.get("path"))
        versions = (one.version for one in state.publications.values() if (one.module, one.path) == same)
        yield _with(asked, version=max(versions, default=0) + 1)
    elif asked.op in {"reopen", "reject"}:
        before = state.commitments.get(_name(asked))
        yield _with(asked, from_state=str(before.state)) if before else asked
    else:
        yield asked


def _submission(
    asked: Operation, state: State, around: Circumstances, later: Later, results: list[str]
) -> Iterator[Operation]:
    policy = around.policy
    commitment = state.commitments.get(_name(asked))
    if commitment is None:
        yield asked if asked.payload.get("evidence") else _with(asked, evidence=["mem_00000000"])
        return
    tier = tier_of(commitment, state, policy)
    wanted = asked.payload.get("tier")
    if wanted in tuple(Tier):
        tier = max(tier, Tier(wanted))
    else:
        asked = _with(asked, tier=str(tier)) if wanted is None else asked
    if not asked.payload.get("evidence"):
        if not asked.payload.get("summary"):
            yield asked  # its check refuses it: nothing shows that it is done
            return
        evidence = _capture_summary(asked, commitment, state)
        yield evidence
        asked = _with(asked, evidence=[evidence.id], summary=evidence.payload["body"])
    if results and isinstance(asked.payload["evidence"], list):
        asked = _with(asked, evidence=[*asked.payload["evidence"], *results])
    yield asked
    review = around.gated(commitment)
    waits = (
        (review is not None and not review.approved)
        or policy.waits(tier)
        or needs_person(commitment, "approve", state, policy)
        or missing_validation(commitment, state, policy) is not None
    )
    if not waits:  # for nobody: it is closed at once
        payload: JsonObject = {"commitment": _name(asked), "auto": True, "tier": str(tier)}
        if tier is Tier.TIER_2:
            payload["reopen_until"] = later(policy.window)
        yield _as_system(asked, "approve", new_id("approve", state.ids), payload, {})


def _capture_summary(asked: Operation, commitment: Commitment, state: State) -> Operation:
    meta = asked.meta
    audit = audit_of(commitment)
    if audit is not None and "provenance" not in meta:
        meta = {**meta, "provenance": {"audit": audit}}
    payload = {"body": asked.payload["summary"], "kind": "evidence", "refs": [commitment.id]}
    made = new_id("capture", state.ids)
    return msgspec.structs.replace(asked, op="capture", id=made, payload=payload, meta=meta, source_key=None)


def _as_system(like: Operation, op: str, made: str, payload: JsonObject, meta: JsonObject) -> Operation:
    """An operation by Interlock itself, beside one that somebody asked for."""
    own = {"op": op, "id": made, "actor": SYSTEM, "payload": payload, "meta": meta}
    return msgspec.structs.replace(like, **own, source_key=None, claimed_actor=None, authenticated_by=None)


def _name(operation: Operation) -> str:
    return str(operation.payload.get("commitment", ""))


def _with(operation: Operation, **members: Any) -> Operation:
    return msgspec.structs.replace(operation, payload={**operation.payload, **members})


# The kind of the memories; a `validation` is captured by somebody, these by Interlock.
_KIND: Final = "validator_result"
_LONGEST: Final = 4_000


def result_memories(
    like: Operation, name: str, validated: Sequence[ValidatorResult], ids: set[str]
) -> Iterator[Operation]:
    """A memory of each result, captured by Interlock itself."""
    for one in validated:
        body = f"{one.word} passed" if one.passed else f"{one.word} failed: {one.told}"
        payload: JsonObject = {"body": body[:_LONGEST], "kind": _KIND, "refs": [name]}
        meta = {"validator": one.word, "passed": one.passed, "file": one.file, "ms": one.duration_ms}
        yield _as_system(like, "capture", new_id("capture", ids), payload, meta)
