"""Who closes a submission: nobody, nobody for good only after a while, or a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.commitments.commitment_setup import CommitmentSetup, commitment_setup, policy_of

from interlock.features.commitments.policy import Tier
from interlock.features.commitments.records import Status

DAY = 24 * 3600.0
TIERS = """
settings:
  tiers:
    rules:
      - {tags: [routine, docs], tier: tier_1}
      - {tags: [security, production], tier: tier_3}
      - {tags: [routine, late], tier: tier_2}
"""
PROTOCOL = """
validation:
  tiers:
    tier_1: {auto_close: true, validators: [technical]}
    tier_2: {auto_close: true, review_window: 24h, validators: [technical, safety]}
    tier_3: {auto_close: false, require_human: true, validators: [technical, safety, intent]}
  classification:
    - match: {tags: [routine, docs]}
      tier: tier_1
    - match: {tags: [security, production]}
      tier: tier_3
    - default: tier_2
"""


@pytest.mark.req("M66")
@pytest.mark.parametrize("policy", [TIERS, PROTOCOL], ids=["settings", "validation"])
@pytest.mark.parametrize(
    ("tags", "tier"),
    [
        (["docs"], Tier.TIER_1),
        (["security"], Tier.TIER_3),
        (["production", "x"], Tier.TIER_3),
        (["docs", "security"], Tier.TIER_1),
        (["x"], Tier.TIER_2),
        ([], Tier.TIER_2),
    ],
)
def test_the_first_rule_that_fits_a_tag_says_the_tier(
    tmp_path: Path, policy: str, tags: list[str], tier: Tier
) -> None:
    """One of a rule's tags is enough; no rule means tier 2."""
    assert policy_of(tmp_path, policy).tier(tuple(tags), "human:ada", None) is tier


@pytest.mark.req("M66")
def test_a_rule_may_ask_for_the_maker_and_the_kind_of_source(tmp_path: Path) -> None:
    """Everything a rule says must fit."""
    match = "{actor: 'agent:*', source_kind: alert}"
    found = policy_of(tmp_path, f"validation:\n  classification:\n    - {{match: {match}, tier: tier_3}}\n")

    assert found.tier((), "agent:x", "alert") is Tier.TIER_3
    assert found.tier((), "human:ada", "alert") is Tier.TIER_2
    assert found.tier((), "agent:x", None) is Tier.TIER_2


@pytest.mark.req("M66")
def test_of_several_files_the_strictest_holds(tmp_path: Path) -> None:
    """A project cannot lower the tier a user set, and its default cannot either."""
    user = "settings:\n  tiers: {rules: [{tags: [a], tier: tier_3}], default: tier_2}\n"
    project = "settings:\n  tiers: {rules: [{tags: [a, b], tier: tier_1}], default: tier_1, tier_2: review}\n"
    found = policy_of(tmp_path, user, project)

    assert found.tier(("a",), "x", None) is Tier.TIER_3
    assert found.tier(("b",), "x", None) is Tier.TIER_2
    assert found.tier((), "x", None) is Tier.TIER_2
    assert found.waits(Tier.TIER_2)


@pytest.mark.req("M65", "M66")
def test_tier_1_is_closed_at_once_by_the_system(tmp_path: Path) -> None:
    """The submission and its approval are two entries, and nobody had to look."""
    with commitment_setup(tmp_path, TIERS) as setup:
        name = setup.submitted("routine")
        found = setup.commitment(name)

        assert [entry.op for entry in setup.entries()[-2:]] == ["submit", "approve"]
        assert setup.entries()[-1].body == {"commitment": name, "auto": True, "tier": "tier_1"}
        assert (found.state, found.closed_by, found.auto, found.reopen_until) == (
            Status.CLOSED,
            "system",
            True,
            None,
        )


@pytest.mark.req("M66", "X44")
def test_tier_2_can_be_reopened_for_a_day(setup: CommitmentSetup) -> None:
    """Closed at once; until the window ends, and not after it."""
    early, late = setup.submitted(), setup.submitted()

    assert setup.commitment(late).state is Status.CLOSED
    assert setup.commitment(late).reopen_until == "2023-11-15T22:13:20.000Z"
    setup.now += DAY
    setup.do("reopen", commitment=early, reason="it fails")
    setup.now += 0.002
    assert setup.refused("reopen", commitment=late, reason="it fails") == "E_CONSTRAINT_VIOLATED"
    assert setup.refused("reject", commitment=late, reason="it fails") == "E_CONSTRAINT_VIOLATED"
    assert setup.commitment(early).state is Status.REOPENED


@pytest.mark.req("M66")
def test_the_window_is_a_setting(tmp_path: Path) -> None:
    """An hour instead of a day; of two files the longer time holds."""
    with commitment_setup(tmp_path, "settings:\n  tiers: {window: 1h}\n") as setup:
        name = setup.submitted()
        setup.now += 3601
        assert setup.refused("reopen", commitment=name, reason="x") == "E_CONSTRAINT_VIOLATED"
    both = policy_of(tmp_path, "settings:\n  tiers: {window: 1h}\n", "settings:\n  tiers: {window: 2h}\n")
    assert both.window == 7200.0


@pytest.mark.req("M60")
def test_what_somebody_closed_can_be_reopened_at_any_time(setup: CommitmentSetup) -> None:
    """The window is of what nobody looked at."""
    name = setup.commit()
    setup.do("close", commitment=name, evidence=setup.capture())
    setup.now += 100 * DAY
    setup.do("reopen", commitment=name, reason="x")


@pytest.mark.req("M65", "X44")
@pytest.mark.parametrize(
    "policy",
    ["settings:\n  tiers: {tier_2: review}\n", "validation:\n  tiers:\n    tier_2: {auto_close: false}\n"],
)
def test_the_other_reading_of_tier_2_waits(tmp_path: Path, policy: str) -> None:
    """In review until somebody else approves; an agent may, unless it is its own."""
    with commitment_setup(tmp_path, policy) as setup:
        name = setup.submitted(by="agent:x")
        assert setup.commitment(name).state is Status.IN_REVIEW
        assert setup.refused("approve", "agent:x", commitment=name) == "E_PERMISSION_DENIED"
        setup.do("approve", "agent:y", commitment=name, person=False)
        assert setup.commitment(name).state is Status.CLOSED


@pytest.mark.req("M65", "M66")
def test_tier_3_waits_for_a_person(tmp_path: Path) -> None:
    """Neither an agent by name nor an agent's process under another name approves it."""
    with commitment_setup(tmp_path, TIERS) as setup:
        name = setup.submitted("security")
        assert setup.commitment(name).state is Status.IN_REVIEW
        assert setup.refused("approve", "agent:y", commitment=name) == "E_CONSTRAINT_VIOLATED"
        assert setup.refused("approve", "human:eve", commitment=name, person=False) == "E_CONSTRAINT_VIOLATED"
        setup.do("approve", "human:ada", commitment=name, comment="read it")
        assert setup.commitment(name).closed_by == "human:ada"


def test_a_tier_is_not_gone_around_by_closing(tmp_path: Path) -> None:
    """An agent does not close tier 3 directly, and nobody closes their own while it is in review."""
    with commitment_setup(tmp_path, TIERS) as setup:
        name = setup.claimed("security", by="agent:x")
        evidence = setup.capture()
        assert (
            setup.refused("close", "agent:x", commitment=name, evidence=evidence) == "E_CONSTRAINT_VIOLATED"
        )
        other = setup.commit()
        assert (
            setup.refused("close", "agent:x", commitment=name, duplicate_of=other) == "E_CONSTRAINT_VIOLATED"
        )
        mine = setup.submitted("security", by="human:bob")
        assert (
            setup.refused("close", "human:bob", commitment=mine, evidence=evidence) == "E_PERMISSION_DENIED"
        )
        assert setup.refused("approve", "human:bob", commitment=mine) == "E_PERMISSION_DENIED"
        setup.do("close", "human:ada", commitment=mine, evidence=evidence)


@pytest.mark.req("M65")
def test_a_submission_without_evidence_brings_its_own(setup: CommitmentSetup) -> None:
    """The summary becomes a memory that stands before it and names the commitment."""
    name = setup.claimed()
    setup.do("submit", "agent:x", commitment=name, summary="tests pass")
    memory = setup.state.memories[setup.commitment(name).evidence[0]]

    assert (memory.body, memory.kind, memory.actor, memory.refs) == (
        "tests pass",
        "evidence",
        "agent:x",
        (name,),
    )
    ops = [entry.op for entry in setup.entries()]
    assert ops[-3:] == ["capture", "submit", "approve"]


@pytest.mark.req("M65")
def test_a_submission_that_says_nothing_is_refused(setup: CommitmentSetup) -> None:
    """No words are put into anybody's mouth: without evidence and summary it stays claimed."""
    name = setup.claimed()

    assert setup.refused("submit", "agent:x", commitment=name, summary=None) == "E_MISSING_FIELD"
    assert setup.refused("submit", "agent:x", commitment=name, summary="", evidence=[]) == "E_MISSING_FIELD"
    assert setup.commitment(name).state is Status.CLAIMED


@pytest.mark.req("M65")
def test_a_submission_that_is_refused_leaves_no_evidence_behind(setup: CommitmentSetup) -> None:
    """The memory is written only when the submission is."""
    assert setup.refused("submit", "agent:y", commitment=setup.claimed(by="agent:x")) == "E_NOT_OWNER"


def test_evidence_that_is_named_is_used(setup: CommitmentSetup) -> None:
    """Several, each an existing memory."""
    name = setup.claimed()
    first, second = setup.capture(), setup.capture()
    assert setup.refused("submit", "agent:x", commitment=name, evidence=[first, "mem_0"]) == "E_REF_NOT_FOUND"
    setup.do("submit", "agent:x", commitment=name, evidence=[first, second])
    assert setup.commitment(name).evidence == (first, second)


@pytest.mark.req("M66")
def test_a_submitter_may_ask_for_more_and_not_for_less(tmp_path: Path) -> None:
    """A stricter tier than the tags say holds; a laxer one is refused."""
    with commitment_setup(tmp_path, TIERS) as setup:
        name = setup.claimed("docs")
        setup.do("submit", "agent:x", commitment=name, tier="tier_3")
        assert setup.commitment(name).state is Status.IN_REVIEW
        assert setup.refused("approve", "agent:y", commitment=name) == "E_CONSTRAINT_VIOLATED"
        strict = setup.claimed("security")
        assert setup.refused("submit", "agent:x", commitment=strict, tier="tier_1") == "E_CONSTRAINT_VIOLATED"
        assert setup.refused("submit", "agent:x", commitment=strict, tier="tier_9") == "E_INVALID_OP"
