"""Roles apart from names: what each may do, and what its work goes back to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.features.commitments.commitment_setup import CommitmentSetup, commitment_setup

from interlock.features.commitments.authors import AUTHOR_TYPES
from interlock.features.commitments.records import DOMAINS, RefusedError

ARCHITECT = {"author_type": "architect"}
AUDITOR = {"author_type": "auditor"}
BOUND = """
permissions:
  actors:
    agent:planner: {author_types: [architect]}
    agent:both: {author_types: [auditor, executor]}
"""


def executor(audit: str) -> dict[str, Any]:
    """The meta of an executor's work."""
    return {"author_type": "executor", "provenance": {"audit": audit}}


@pytest.mark.req("M69")
def test_each_role_has_a_trust_level_and_a_domain() -> None:
    """Intent is the architect's, safety the auditor's, the technical the executor's."""
    assert {name: (role.trust_level, role.domain) for name, role in AUTHOR_TYPES.items()} == {
        "architect": ("untrusted", "intent"),
        "auditor": ("trusted", "safety"),
        "executor": ("authorized", "technical"),
    }
    assert {role.domain: name for name, role in AUTHOR_TYPES.items()} == DOMAINS


@pytest.mark.req("M68", "M69")
def test_an_architect_captures_and_annotates_and_nothing_else(setup: CommitmentSetup) -> None:
    """Its word is kept as untrusted; it does not commit, close, approve or submit."""
    memory = setup.capture("people want to pay as guests", meta=ARCHITECT)
    name = setup.claimed()
    setup.do("annotate", target=name, body="for guests too", meta=ARCHITECT)

    assert setup.state.memories[memory].meta == {"author_type": "architect", "trust_level": "untrusted"}
    for op in ("submit", "approve", "claim", "release"):
        assert setup.refused(op, "agent:x", commitment=name, meta=ARCHITECT) == "E_PERMISSION_DENIED"
    assert setup.refused("close", commitment=name, evidence=memory, meta=ARCHITECT) == "E_PERMISSION_DENIED"
    assert setup.refused("commit", body="x", source=memory, meta=ARCHITECT) == "E_PERMISSION_DENIED"


@pytest.mark.req("M68")
@pytest.mark.parametrize(
    "body",
    [
        "change src/app/cart.ts",
        "see /etc/hosts/x",
        "look into cart.py",
        "```\nx = 1\n```",
        "add def total(cart): there",
        "CREATE TABLE guests (id int)",
        "run ./scripts/fix",
    ],
)
def test_an_architect_gives_no_paths_and_no_code(setup: CommitmentSetup, body: str) -> None:
    """What says how is left to others."""
    assert setup.refused("capture", body=body, meta=ARCHITECT) == "E_CONSTRAINT_VIOLATED"
    setup.capture(body)


@pytest.mark.req("M68")
@pytest.mark.parametrize(
    "body", ["Guests and/or members pay.", "Let people sign in, e.g. by mail.", "24/7 support in 3.5 weeks"]
)
def test_an_architects_plain_words_pass(setup: CommitmentSetup, body: str) -> None:
    """A slash or a dot is not a path."""
    setup.capture(body, meta=ARCHITECT)


@pytest.mark.req("M68")
def test_an_auditor_commits_approves_and_rejects(tmp_path: Path) -> None:
    """It is trusted, and does not submit."""
    with commitment_setup(tmp_path, "settings:\n  tiers: {tier_2: review}\n") as setup:
        first, second = setup.submitted(), setup.submitted()
        setup.do("approve", "agent:audit", commitment=first, meta=AUDITOR)
        setup.do("reject", "agent:audit", commitment=second, reason="unsafe", domain="safety", meta=AUDITOR)
        setup.do("commit", "agent:audit", body="x", source=setup.capture(), meta=AUDITOR)
        assert (
            setup.refused("submit", "agent:x", commitment=setup.claimed(), meta=AUDITOR)
            == "E_PERMISSION_DENIED"
        )
        assert setup.commitment(second).domain == "safety"


@pytest.mark.req("M68", "M69")
def test_an_executor_needs_an_audit(setup: CommitmentSetup) -> None:
    """Named by itself or by the commitment it works on; a rejection and anybody's memory are none."""
    intent = setup.capture("guests pay", "agent:plan", meta=ARCHITECT)
    chain = {**AUDITOR, "provenance": {"intent": intent}}
    audit = setup.capture("approved", "agent:audit", kind="audit-approval", refs=[intent], meta=chain)
    no = setup.capture("rejected", "agent:audit", kind="audit-rejection", meta=AUDITOR)
    plain = setup.capture()

    for meta in ({"author_type": "executor"}, executor(no), executor(plain)):
        assert setup.refused("capture", "agent:x", body="x", meta=meta) == "E_CONSTRAINT_VIOLATED"
    assert setup.refused("capture", "agent:x", body="x", meta=executor("mem_0")) == "E_REF_NOT_FOUND"
    made = setup.capture("built", "agent:x", meta=executor(audit))
    assert setup.state.memories[made].meta["trust_level"] == "authorized"
    name = setup.do(
        "commit", body="build it", source=intent, meta={**AUDITOR, "provenance": {"audit": audit}}
    )
    setup.do("claim", "agent:x", commitment=name, meta={"author_type": "executor"})
    setup.do("submit", "agent:x", commitment=name, meta={"author_type": "executor"})
    assert setup.refused("claim", "agent:x", commitment=setup.commit(), meta={"author_type": "executor"}) == (
        "E_CONSTRAINT_VIOLATED"
    )
    with pytest.raises(RefusedError, match="such as `--audit mem_"):
        setup.do("capture", "agent:x", body="x", meta={"author_type": "executor"})


@pytest.mark.req("M69")
@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({"author_type": "wizard"}, "E_INVALID_OP"),
        ({"author_type": 5}, "E_INVALID_OP"),
        ({"trust_level": "authorized"}, "E_INVALID_OP"),
        ({"author_type": "architect", "trust_level": "trusted"}, "E_INVALID_OP"),
        ({"author_type": "auditor", "provenance": "mem_1"}, "E_INVALID_OP"),
        ({"author_type": "auditor", "provenance": {"intent": "mem_0"}}, "E_REF_NOT_FOUND"),
    ],
)
def test_trust_is_computed_and_provenance_is_checked(
    setup: CommitmentSetup, meta: dict[str, Any], code: str
) -> None:
    """Nobody claims a level of its own, and a chain leads to what is there."""
    assert setup.refused("capture", body="x", meta=meta) == code


@pytest.mark.req("M68")
def test_a_policy_binds_actors_to_roles(tmp_path: Path) -> None:
    """With one role it is always in that; with several it chooses among them."""
    with commitment_setup(tmp_path, BOUND) as setup:
        made = setup.capture("guests pay", "agent:planner")
        assert setup.state.memories[made].author_type == "architect"
        assert setup.refused("capture", "agent:planner", body="x", meta=AUDITOR) == "E_PERMISSION_DENIED"
        assert setup.refused("commit", "agent:planner", body="x", source=made) == "E_PERMISSION_DENIED"
        assert setup.refused("capture", "agent:both", body="x", meta=ARCHITECT) == "E_PERMISSION_DENIED"
        assert setup.state.memories[setup.capture("x", "agent:both")].author_type is None
        assert setup.state.memories[setup.capture("x", "agent:both", meta=AUDITOR)].author_type == "auditor"
        setup.commit(actor="human:ada")
