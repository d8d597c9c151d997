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


def plan_operations(
    request: Operation, state: State, context: Circumstances, later: Later
) -> list[Operation]:
    """The operations to record. Each is checked after those before it; the first that fails refuses all."""
    draft = state
    plan: list[Operation] = []
    for operation in _plan_steps(request, state, context, later):
        check(operation, draft, context)
        plan.append(operation)
        draft = draft.after(operation) if request.op in VALIDATED else draft
    return plan


def _plan_steps(
    request: Operation, state: State, context: Circumstances, later: Later
) -> Iterator[Operation]:
    request = with_author(request, context.policy)
    results = list(
        result_memories(request, request.text("commitment") or "", context.validated or (), state.ids)
    )
    yield from results
    if request.op == "submit":
        yield from _plan_submission(request, state, context, later, [memory.id for memory in results])
    elif request.op == "publish" and request.payload.get("version") is None:
        place = (request.payload.get("module"), request.payload.get("path"))
        versions = (
            publication.version
            for publication in state.publications.values()
            if (publication.module, publication.path) == place
        )
        yield _with(request, version=max(versions, default=0) + 1)
    elif request.op in {"reopen", "reject"}:
        commitment = state.commitment_of(request)
        yield _with(request, from_state=str(commitment.state)) if commitment else request
    else:
        yield request


def _plan_submission(
    request: Operation, state: State, context: Circumstances, later: Later, results: list[str]
) -> Iterator[Operation]:
    policy = context.policy
    commitment = state.commitment_of(request)
    if commitment is None:
        yield request if request.payload.get("evidence") else _with(request, evidence=["mem_00000000"])
        return
    tier = tier_of(commitment, state, policy)
    requested_tier = request.payload.get("tier")
    if requested_tier in tuple(Tier):
        tier = max(tier, Tier(requested_tier))
    elif requested_tier is None:
        request = _with(request, tier=str(tier))
    if not request.payload.get("evidence"):
        if not request.payload.get("summary"):
            yield request  # its check refuses it: nothing shows that it is done
            return
        evidence = _capture_summary(request, commitment, state)
        yield evidence
        request = _with(request, evidence=[evidence.id], summary=evidence.payload["body"])
    if results and isinstance(request.payload["evidence"], list):
        request = _with(request, evidence=[*request.payload["evidence"], *results])
    yield request
    review = context.gated(commitment)
    needs_review = (
        (review is not None and not review.approved)
        or policy.waits(tier)
        or needs_person(commitment, "approve", state, policy)
        or missing_validation(commitment, state, policy) is not None
    )
    if not needs_review:  # for nobody: it is closed at once
        payload: JsonObject = {"commitment": commitment.id, "auto": True, "tier": str(tier)}
        if tier is Tier.TIER_2:
            payload["reopen_until"] = later(policy.window)
        yield _as_system(request, "approve", new_id("approve", state.ids), payload, {})


def _capture_summary(request: Operation, commitment: Commitment, state: State) -> Operation:
    meta = request.meta
    audit = audit_of(commitment)
    if audit is not None and "provenance" not in meta:
        meta = {**meta, "provenance": {"audit": audit}}
    payload = {"body": request.payload["summary"], "kind": "evidence", "refs": [commitment.id]}
    name = new_id("capture", state.ids)
    return msgspec.structs.replace(
        request, op="capture", id=name, payload=payload, meta=meta, source_key=None
    )


def _as_system(like: Operation, op: str, name: str, payload: JsonObject, meta: JsonObject) -> Operation:
    """An operation by Interlock itself, beside one that somebody asked for."""
    changes = {"op": op, "id": name, "actor": SYSTEM, "payload": payload, "meta": meta}
    return msgspec.structs.replace(
        like, **changes, source_key=None, claimed_actor=None, authenticated_by=None
    )


def _with(operation: Operation, **members: Any) -> Operation:
    return msgspec.structs.replace(operation, payload={**operation.payload, **members})


# The kind of the memories; a `validation` is captured by somebody, these by Interlock.
_KIND: Final = "validator_result"
_LONGEST: Final = 4_000


def result_memories(
    like: Operation, name: str, validated: Sequence[ValidatorResult], ids: set[str]
) -> Iterator[Operation]:
    """A memory of each result, captured by Interlock itself."""
    for result in validated:
        body = f"{result.word} passed" if result.passed else f"{result.word} failed: {result.problem}"
        payload: JsonObject = {"body": body[:_LONGEST], "kind": _KIND, "refs": [name]}
        meta = {
            "validator": result.word,
            "passed": result.passed,
            "file": result.file,
            "ms": result.duration_ms,
        }
        yield _as_system(like, "capture", new_id("capture", ids), payload, meta)
