"""From what an entry says to the gate it stands for."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from interlock.engine.stop_counts import Rounds, RoundsInMemory
from interlock.events.actor import counted
from interlock.events.hook import Handler, Matcher
from interlock.events.names import EventName
from interlock.features.gates.approval_gate import ApprovalGate, Guarding
from interlock.features.gates.project_state_api import Ground, Looking
from interlock.features.gates.review_api import Reviews
from interlock.features.trust_scores.api import WEIGHTS, Scores
from interlock.features.trust_scores.hook import TrustGate
from interlock.patterns.matcher import parse_matcher
from interlock.policy.actor_names import check_actor
from interlock.policy.compile.context import Bench
from interlock.policy.files.node import Path
from interlock.policy.format.genesis_key import (
    ApprovalConfig,
    ApprovalGateHook,
    CompletionHook,
    SeveralApprovers,
    TrustGateConfig,
    TrustGateHook,
)
from interlock.policy.hook_services import HookServices
from interlock.policy.settings.people import PEOPLE


def approvers_of(approvers: Sequence[str] | SeveralApprovers, path: Path, bench: Bench) -> tuple[str, ...]:
    """Who may say yes: each a person, or a group that stands for its members."""
    several = isinstance(approvers, SeveralApprovers)
    names = approvers.of if isinstance(approvers, SeveralApprovers) else approvers
    below = (*path, "approvers", "of") if several else (*path, "approvers")
    for index, approver in enumerate(names):
        check_actor(approver, (*below, index), bench.findings)
    found = PEOPLE.of(bench).spelled_out(names)
    return counted(found, approvers.any) if isinstance(approvers, SeveralApprovers) else found


def gate_handler(
    entry: ApprovalGateHook | CompletionHook | TrustGateHook, event: EventName, path: Path, bench: Bench
) -> Handler | None:
    """Make the handler of a gate; None when a problem was noted."""
    match entry:
        case ApprovalGateHook():
            return _approval_gate(entry.config, event, path, _lending(entry, bench))
        case CompletionHook():
            from interlock.policy.compile.completion import completion_handler  # noqa: PLC0415 - 5 ms of a start

            return completion_handler(entry.config, event, path, _lending(entry, bench))
        case TrustGateHook():
            return _trust_gate(entry.config, path, bench)


def _lending(entry: ApprovalGateHook | CompletionHook, bench: Bench) -> Bench:
    """What the hook may ask: one that must change nothing opens no request and counts apart."""
    if entry.mode != "shadow" and not entry.observe:
        return bench
    ground, rounds = bench.services.find(Ground), bench.services.find(Rounds)
    apart = HookServices({Ground: ground and Looking(ground), Rounds: rounds and RoundsInMemory()})
    return msgspec.structs.replace(bench, services=apart)


def _approval_gate(config: ApprovalConfig, event: EventName, path: Path, bench: Bench) -> Handler | None:
    """Make a gate; at the end of a turn it holds work back, elsewhere it asks about the call."""
    approvers = approvers_of(config.approvers, path, bench)
    condition = None
    if config.condition:
        condition = bench.condition(config.condition, (*path, "condition"))
        if condition is None:
            return None
    return ApprovalGate(
        condition,
        approvers,
        guards=config.guards,
        at_stop=event is EventName.STOP,
        reviews=bench.services.find(Reviews),
    )


def guarding(config: ApprovalConfig, path: Path, bench: Bench) -> Matcher | None:
    """What a gate at the end of a turn fires on: that moment, and the calls it guards."""
    guards = bench.findings.attempt((*path, "config", "guards"), parse_matcher, config.guards or None)
    if guards is not None and config.guards and not guards.needs_tool:
        message = "this guards every call, also those the work is done with; name the calls that wait"
        bench.findings.problem((*path, "config", "guards"), message)
        return None
    return guards and Guarding(guards if config.guards else None)


def _trust_gate(config: TrustGateConfig, path: Path, bench: Bench) -> Handler | None:
    """Make the hook that judges by scores; its weights make one."""
    weights = dict(config.weights) if config.weights else WEIGHTS
    return bench.findings.attempt((*path, "weights"), TrustGate, weights, bench.services.find(Scores))
