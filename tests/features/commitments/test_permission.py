"""Operations by actor, what closing needs, and that neither is mistaken for permissions of tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import bash
from tests.features.commitments.commitment_setup import HEAD, CommitmentSetup, commitment_setup, policy_of

from interlock.engine.engine import Engine
from interlock.events.hook import Layer
from interlock.features.commitments.constraints import check_permission, is_person
from interlock.features.commitments.records import RefusedError, Status
from interlock.policy.load import load_policy

LISTS = """
permissions:
  actors:
    agent:executor: {operations: [capture, claim, submit]}
    agent:*: {operations: [capture]}
    agent:exec*: {operations: [annotate]}
    ada@example.org: {operations: ["*"]}
  defaults:
    authenticated: {operations: [capture, annotate]}
"""


def may(folder: Path, actor: str, op: str, *policies: str) -> bool:
    """Whether policies let an actor do an operation."""
    try:
        check_permission(actor, op, policy_of(folder, *policies))
    except RefusedError as error:
        return (error.code.value, "genesis.key" in error.sentence) != ("E_PERMISSION_DENIED", True)
    return True


@pytest.mark.req("M67")
@pytest.mark.parametrize(
    ("actor", "op", "allowed"),
    [
        ("agent:executor", "claim", True),
        ("agent:executor", "annotate", False),
        ("agent:executive", "annotate", True),
        ("agent:executive", "capture", False),
        ("agent:other", "capture", True),
        ("agent:other", "claim", False),
        ("human:bob", "annotate", True),
        ("human:bob", "close", False),
        ("ada@example.org", "approve", True),
        ("system", "approve", True),
    ],
)
def test_the_exact_name_then_the_longest_pattern_then_the_defaults(
    tmp_path: Path, actor: str, op: str, allowed: bool
) -> None:
    """One entry speaks for an actor; who has none falls under the defaults."""
    assert may(tmp_path, actor, op, LISTS) is allowed


@pytest.mark.req("M67")
def test_without_permissions_everything_is_allowed_and_with_some_nothing_else(tmp_path: Path) -> None:
    """No section at all allows all; a section without defaults denies who is not in it."""
    listed = "permissions:\n  actors:\n    agent:a: {operations: [capture]}\n"

    assert may(tmp_path, "agent:b", "close")
    assert not may(tmp_path, "agent:b", "capture", listed)


@pytest.mark.req("M67")
def test_who_may_reopen_may_reject(tmp_path: Path) -> None:
    """Two words for one deed."""
    listed = "permissions:\n  actors:\n    agent:a: {operations: [reject]}\n"

    assert may(tmp_path, "agent:a", "reopen", listed)
    assert may(tmp_path, "agent:a", "reject", listed)


def test_each_file_judges_alone(tmp_path: Path) -> None:
    """A project cannot give what the user did not, and its silence about an actor takes nothing away."""
    user = "permissions:\n  actors:\n    agent:a: {operations: [capture, claim]}\n"
    project = (
        "permissions:\n  actors:\n"
        "    agent:a: {operations: [capture, close]}\n    agent:b: {operations: [close]}\n"
    )
    other = "permissions:\n  actors:\n    agent:b: {operations: [close]}\n"

    assert may(tmp_path, "agent:a", "capture", user, project)
    assert not may(tmp_path, "agent:a", "claim", user, project)
    assert not may(tmp_path, "agent:a", "close", user, project)
    assert not may(tmp_path, "agent:b", "close", user, project)
    assert may(tmp_path, "agent:a", "claim", user, other)


@pytest.mark.req("X45")
def test_one_file_may_speak_of_tools_and_of_operations(tmp_path: Path) -> None:
    """Operations restrict no tool, tools restrict no operation, and an actor may have both."""
    both = (
        "permissions:\n  actors:\n"
        "    agent:main: {allow: ['Bash(git *)'], operations: [claim]}\n"
        "    agent:x: {operations: [capture]}\n"
    )
    only_operations = "permissions:\n  actors:\n    agent:x: {operations: [capture]}\n"
    only_tools = "permissions:\n  actors:\n    agent:x: {allow: [Read]}\n"

    assert decided(tmp_path, both, "git status") == "allow"
    assert decided(tmp_path, both, "curl x") == "deny"
    assert decided(tmp_path, only_operations, "curl x") == "allow"
    assert may(tmp_path, "agent:main", "claim", both)
    assert not may(tmp_path, "agent:main", "capture", both)
    assert may(tmp_path, "agent:y", "close", only_tools)


def decided(folder: Path, policy: str, command: str) -> str:
    """What a policy decides about a command of the main agent."""
    file = folder / "tools" / "genesis.key"
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEAD + policy, encoding="utf-8")
    loaded = load_policy([(Layer.USER, file)], environ={"PATH": "/usr/bin:/bin"})
    return Engine(loaded.hooks).decide_sync(bash(command, actor="agent:main")).outcome


@pytest.mark.req("M67")
@pytest.mark.parametrize(
    ("actor", "person"),
    [("agent:x", False), ("bot:x", False), ("service:x", False), ("system", False), ("ada@x.org", True)],
)
def test_who_is_a_person(actor: str, person: bool) -> None:
    """Agents, bots and services are told by how their names begin."""
    assert is_person(actor) is person


@pytest.mark.req("M67")
def test_require_claim_lets_only_the_owner_close(tmp_path: Path) -> None:
    """Of the commitments it is about; all of a rule's tags must be there."""
    rule = "constraints:\n  require_claim:\n    - match: {tags: [a, b]}\n"
    with commitment_setup(tmp_path, rule) as setup:
        memory = setup.capture()
        strict, free = setup.commit("a", "b"), setup.commit("a")
        setup.do("close", commitment=free, evidence=memory)
        assert setup.refused("close", commitment=strict, evidence=memory) == "E_CONSTRAINT_VIOLATED"
        setup.do("claim", commitment=strict)
        setup.do("close", commitment=strict, evidence=memory)


@pytest.mark.req("M67")
def test_require_human_keeps_agents_from_closing(tmp_path: Path) -> None:
    """Also by way of a submission, which then waits; approving is a way of closing."""
    rule = "constraints:\n  require_human:\n    - {operation: close, match: all}\n"
    with commitment_setup(tmp_path, rule) as setup:
        memory, name = setup.capture(), setup.claimed(by="agent:x")
        assert setup.refused("close", "agent:x", commitment=name, evidence=memory) == "E_CONSTRAINT_VIOLATED"
        setup.do("submit", "agent:x", commitment=name)
        assert setup.commitment(name).state is Status.IN_REVIEW
        assert setup.refused("approve", "agent:y", commitment=name) == "E_CONSTRAINT_VIOLATED"
        setup.do("approve", "human:ada", commitment=name)


@pytest.mark.req("M67")
def test_require_validation_needs_an_approved_memory_by_a_matching_actor(tmp_path: Path) -> None:
    """Of kind validation, naming the commitment, approved, and not by whoever did the work."""
    rule = "constraints:\n  require_validation:\n    - {match: all, validator: 'agent:*'}\n"
    with commitment_setup(tmp_path, rule) as setup:
        name = setup.claimed(by="agent:x")
        memory = setup.capture()

        def closing() -> str:
            return setup.refused("close", commitment=name, evidence=memory)

        def validation(actor: str, **meta: object) -> None:
            setup.capture("looked", actor, kind="validation", refs=[name], meta=meta)

        assert closing() == "E_CONSTRAINT_VIOLATED"
        validation("human:bob", approved=True)
        validation("agent:v", approved=False)
        validation("agent:x", approved=True)
        setup.capture("looked", "agent:v", kind="note", refs=[name], meta={"approved": True})
        assert closing() == "E_CONSTRAINT_VIOLATED"
        setup.do("submit", "agent:x", commitment=name)
        assert setup.commitment(name).state is Status.IN_REVIEW
        assert setup.refused("approve", commitment=name) == "E_CONSTRAINT_VIOLATED"
        validation("agent:v", passed=True)
        setup.do("approve", commitment=name)


@pytest.mark.req("M67")
def test_a_match_without_anything_fits_nothing(tmp_path: Path) -> None:
    """`match: {}` is no way to say all."""
    with commitment_setup(tmp_path, "constraints:\n  require_human:\n    - {match: {}}\n") as setup:
        name = setup.commit()
        setup.do("close", "agent:x", commitment=name, evidence=setup.capture())


@pytest.mark.req("M67")
def test_a_rule_may_be_about_the_maker_or_the_source(tmp_path: Path) -> None:
    """By a pattern of actors, and by the kind of memory."""
    rule = "constraints:\n  require_human:\n    - {match: {actor: 'agent:*', source_kind: alert}}\n"
    with commitment_setup(tmp_path, rule) as setup:
        evidence = setup.capture()
        alert = setup.capture("!", "agent:x", kind="alert")
        meant = setup.commit(actor="agent:x", source=alert)
        other = setup.commit(actor="human:ada", source=alert)
        assert (
            setup.refused("close", "agent:x", commitment=meant, evidence=evidence) == "E_CONSTRAINT_VIOLATED"
        )
        setup.do("close", "agent:x", commitment=other, evidence=evidence)


@pytest.mark.parametrize("actor", ["agent:x", "human:ada"])
def test_nobody_approves_their_own(tmp_path: Path, actor: str) -> None:
    """Neither whoever submitted it nor whoever owns it; who made it may."""
    with commitment_setup(tmp_path, "settings:\n  tiers: {tier_2: review}\n") as setup:
        name = setup.submitted(by=actor)
        assert setup.refused("approve", actor, commitment=name) == "E_PERMISSION_DENIED"
        approver = "human:ada" if actor == "agent:x" else "human:bob"
        setup.do("approve", approver, commitment=name)
        assert setup.commitment(name).closed_by == approver


def test_an_operation_can_be_refused_here(setup: CommitmentSetup) -> None:
    """What is recorded is not taken for a refusal."""
    with pytest.raises(pytest.fail.Exception):
        setup.refused("capture", body="fine")
