"""What every built-in rule keeps."""

from __future__ import annotations

import msgspec
import pytest
from tests.builders import bash, entry, hook

from interlock.builtin_hooks.basic import Deny, Modify, Target
from interlock.builtin_hooks.calls.evidence import EvidenceCapture
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Handler
from interlock.events.verdict import Outcome, Vote
from interlock.features.gates.approval_gate import ApprovalGate
from interlock.permissions.judge import GenesisEnforcement, PermissionTable

TABLE = PermissionTable([entry("agent:main", allow=["Bash(ls)"], deny=["Read"])])
RULES: list[Handler] = [
    GenesisEnforcement(TABLE),
    EvidenceCapture("file_change"),
    ApprovalGate(None, ["human:rashid"]),
    Deny("no"),
    Modify(Target.INPUT, set={"a": 1}),
]


@pytest.mark.req("M4", "M32", "M38")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_rule_answers_at_once(rule: Handler) -> None:
    """Rules need no process and no waiting: they run without an event loop (what 50 ms stands for)."""
    decision = Engine([hook(rule)]).decide_sync(bash("ls"))

    assert rule.instant
    assert decision.trace[0].type == rule.kind
    assert decision.trace[0].outcome is not Outcome.ERROR


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_fingerprint_is_a_json_value_and_stays_the_same(rule: Handler) -> None:
    """`once` is remembered under its digest."""
    assert hook(rule).key == hook(rule, name="renamed").key
    assert msgspec.json.encode(rule.fingerprint())


def test_kinds_are_the_words_of_the_policy_file() -> None:
    """Five of the six types are rules; `command` runs a program."""
    assert [rule.kind for rule in RULES] == [
        "genesis_enforcement",
        "evidence_capture",
        "approval_gate",
        "deny",
        "modify",
    ]


def test_evidence_and_changes_are_no_votes() -> None:
    """Only what may vote is judged again after a change."""
    assert [rule.kind for rule in RULES if not rule.judges] == ["evidence_capture", "modify"]


def test_enforcement_brings_its_patterns() -> None:
    """They are compiled with the policy, not at the first call."""
    assert [pattern.text for pattern in GenesisEnforcement(TABLE).patterns] == ["Read", "Bash(ls)"]


def test_an_approval_gate_does_not_hold_a_turn_by_itself() -> None:
    """Without approvals to ask for it abstains."""
    decision = Engine([hook(RULES[2], events=("Stop",))]).decide_sync(Event(name="Stop"))

    assert decision.vote is Vote.ABSTAIN
