"""What one request becomes: the operation, the evidence before it, the approval after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.authors import audit_of, with_author
from interlock.features.commitments.checks import Circumstances, check
from interlock.features.commitments.constraints import SYSTEM, missing_validation, needs_person, tier_of
from interlock.features.commitments.policy import CommitmentPolicy, Tier
from interlock.features.commitments.records import Commitment, Operation, new_id
from interlock.features.commitments.state import State
from interlock.features.commitments.validation import VALIDATED, result_memories

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
        yield _with(asked, version=_next_version(asked.payload, state))
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
        evidence = _evidence(asked, commitment, state)
        yield evidence
        asked = _with(asked, evidence=[evidence.id], summary=evidence.payload["body"])
    if results and isinstance(asked.payload["evidence"], list):
        asked = _with(asked, evidence=[*asked.payload["evidence"], *results])
    yield asked
    review = around.gated(commitment)
    held = review is not None and not review.approved
    if not held and closes_itself(commitment, tier, state, policy):
        until = later(policy.window) if tier is Tier.TIER_2 else None
        yield _approval(asked, tier, until, new_id("approve", state.ids))


def closes_itself(commitment: Commitment, tier: Tier, state: State, policy: CommitmentPolicy) -> bool:
    """Whether a submission is closed at once: neither its tier nor a constraint waits for anyone."""
    return not (
        policy.waits(tier)
        or needs_person(commitment, "approve", state, policy)
        or missing_validation(commitment, state, policy) is not None
    )


def _evidence(asked: Operation, commitment: Commitment, state: State) -> Operation:
    meta = asked.meta
    audit = audit_of(commitment)
    if audit is not None and "provenance" not in meta:
        meta = {**meta, "provenance": {"audit": audit}}
    payload = {"body": asked.payload["summary"], "kind": "evidence", "refs": [commitment.id]}
    made = new_id("capture", state.ids)
    return msgspec.structs.replace(asked, op="capture", id=made, payload=payload, meta=meta, source_key=None)


def _approval(asked: Operation, tier: Tier, until: str | None, made: str) -> Operation:
    payload: JsonObject = {"commitment": _name(asked), "auto": True, "tier": str(tier)}
    if until is not None:
        payload["reopen_until"] = until
    return msgspec.structs.replace(
        asked,
        op="approve",
        id=made,
        actor=SYSTEM,
        payload=payload,
        meta={},
        source_key=None,
        claimed_actor=None,
        authenticated_by=None,
    )


def _next_version(payload: JsonObject, state: State) -> int:
    same = (payload.get("module"), payload.get("path"))
    versions = (p.version for p in state.publications.values() if (p.module, p.path) == same)
    return max(versions, default=0) + 1


def _name(operation: Operation) -> str:
    return str(operation.payload.get("commitment", ""))


def _with(operation: Operation, **members: Any) -> Operation:
    return msgspec.structs.replace(operation, payload={**operation.payload, **members})
