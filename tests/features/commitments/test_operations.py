"""What each operation makes of a commitment, and what it is refused for."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.features.commitments.commitment_setup import PLACE, CommitmentSetup

from interlock.features.commitments.checks import Circumstances, check
from interlock.features.commitments.operations import FIELDS
from interlock.features.commitments.policy import (
    OPERATIONS,
    ClaimConstraint,
    CommitmentPolicy,
    Constraints,
    FileRules,
    OperationEntry,
    Tier,
)
from interlock.features.commitments.records import SHAPE, Code, Operation, RefusedError, Status, new_id
from interlock.features.commitments.state import State

NOWHERE = "cmt_00000000"


def operation(op: str = "capture", **fields: Any) -> Operation:
    """An operation as it would be checked."""
    given: dict[str, Any] = {"id": "mem_1", "ts": "2026", "actor": "a", "workspace": "/w", "payload": {}}
    return Operation(**{"op": op, **given, **fields})


def code_of(
    asked: Operation, state: State | None = None, policy: CommitmentPolicy | None = None
) -> str | None:
    """The code a check refuses with."""
    try:
        check(asked, state or State(), Circumstances(policy=policy or CommitmentPolicy(), now="2026"))
    except RefusedError as error:
        return error.code.value
    return None


@pytest.mark.req("M56", "M58")
def test_an_operation_is_one_entry_under_its_own_name(setup: CommitmentSetup) -> None:
    """Id, op, time, actor, workspace and source key stand where a reader looks for them."""
    made = setup.do("capture", "human:ada", body="seen", kind="note", source_key="k1", session="s1")
    entry = setup.entries()[-1]

    assert (entry.id, entry.op, entry.actor, entry.workspace) == (made, "capture", "human:ada", PLACE)
    assert entry.ts == "2023-11-14T22:13:20.000Z"
    assert entry.body == {"body": "seen", "kind": "note", "source_key": "k1", "session_id": "s1"}
    assert entry.session_id == "s1"


@pytest.mark.req("M58")
def test_every_operation_is_known_by_its_name() -> None:
    """The fourteen of the protocol, and reject, which is a reopen that says so."""
    assert set(FIELDS) == set(OPERATIONS)
    assert len(OPERATIONS) == 15


@pytest.mark.req("M57")
def test_ids_tell_the_kind_and_have_eight_digits(setup: CommitmentSetup) -> None:
    """`mem_`, `cmt_`, `pub_`, and `op_` for everything else."""
    memory = setup.capture()
    commitment = setup.commit(source=memory)
    names = {
        "mem": memory,
        "cmt": commitment,
        "op": setup.do("claim", commitment=commitment),
        "pub": setup.do("publish", module="docs", path="a"),
    }

    assert all(re.fullmatch(rf"{prefix}_[0-9a-f]{{8}}", name) for prefix, name in names.items())
    assert all(SHAPE.fullmatch(name) for name in names.values())


@pytest.mark.req("M57", "M61")
def test_an_id_is_never_given_twice() -> None:
    """A number that is taken is drawn again."""
    numbers = iter([7, 7, 8])

    assert new_id("capture", {"mem_00000007"}, lambda: next(numbers)) == "mem_00000008"


@pytest.mark.req("M59")
def test_a_commitment_needs_an_existing_memory(setup: CommitmentSetup) -> None:
    """No source, an unknown one, and a commitment in its place are refused."""
    name = setup.commit()

    assert setup.refused("commit", body="x") == "E_MISSING_FIELD"
    assert setup.refused("commit", body="x", source="mem_00000000") == "E_REF_NOT_FOUND"
    assert setup.refused("commit", body="x", source=name) == "E_REF_NOT_FOUND"


@pytest.mark.req("M60")
def test_the_way_from_open_to_closed(setup: CommitmentSetup) -> None:
    """claim, submit and approve lead on, each from the state before it."""
    setup.policy = CommitmentPolicy(parts=(_review(),))
    name = setup.commit()
    states = [setup.commitment(name).state]
    for op, actor in (("claim", "agent:x"), ("submit", "agent:x"), ("approve", "human:ada")):
        setup.do(op, actor, commitment=name)
        states.append(setup.commitment(name).state)

    assert states == [Status.OPEN, Status.CLAIMED, Status.IN_REVIEW, Status.CLOSED]
    assert setup.commitment(name).closed_by == "human:ada"


def _review() -> FileRules:
    return FileRules(file="p", waiting=frozenset({Tier.TIER_2}))


@pytest.mark.req("M60")
@pytest.mark.parametrize("op", ["reopen", "reject"])
@pytest.mark.parametrize("waits", [True, False])
def test_reopening_keeps_the_owner(setup: CommitmentSetup, op: str, waits: bool) -> None:
    """Also of what was closed already; and it is recorded under the word that was used."""
    setup.policy = CommitmentPolicy(parts=(_review(),)) if waits else CommitmentPolicy()
    name = setup.submitted()
    before = str(setup.commitment(name).state)
    setup.do(op, commitment=name, reason="no test", domain="technical")
    found = setup.commitment(name)

    assert (found.state, found.owner, found.reason) == (Status.REOPENED, "agent:x", "no test")
    assert setup.entries()[-1].op == op
    assert setup.entries()[-1].body["from_state"] == before
    assert setup.refused("claim", "agent:y", commitment=name) == "E_ALREADY_CLAIMED"
    assert setup.refused("submit", "agent:x", commitment=name) == "E_INVALID_OP"
    setup.do("claim", "agent:x", commitment=name)
    assert setup.commitment(name).state is Status.CLAIMED


@pytest.mark.req("M60")
def test_releasing_gives_it_back(setup: CommitmentSetup) -> None:
    """It is open, without an owner, and others may claim it."""
    name = setup.claimed(by="agent:x")
    setup.do("release", "agent:x", commitment=name)

    assert (setup.commitment(name).state, setup.commitment(name).owner) == (Status.OPEN, None)
    setup.do("claim", "agent:y", commitment=name)
    assert setup.commitment(name).owner == "agent:y"


@pytest.mark.req("M6", "M60")
def test_closing_with_evidence_or_as_a_duplicate(setup: CommitmentSetup) -> None:
    """Evidence closes at once; naming another makes it that one's duplicate."""
    first, second = setup.commit(), setup.commit()
    evidence = setup.capture("done")
    setup.do("close", commitment=first, evidence=evidence)
    setup.do("close", commitment=second, duplicate_of=first)

    assert setup.commitment(first).state is Status.CLOSED
    assert setup.commitment(first).evidence == (evidence,)
    assert setup.commitment(second).state is Status.DUPLICATE
    assert setup.commitment(second).duplicate_of == first


@pytest.mark.req("M61", "M62")
def test_closing_needs_exactly_one_of_evidence_and_duplicate(setup: CommitmentSetup) -> None:
    """Neither, both, what is not a memory and what is oneself are refused."""
    name, memory, other = setup.commit(), setup.capture(), setup.commit()

    assert setup.refused("close", commitment=name) == "E_MISSING_FIELD"
    assert setup.refused("close", commitment=name, evidence=memory, duplicate_of=other) == "E_INVALID_OP"
    assert setup.refused("close", commitment=name, evidence=other) == "E_REF_NOT_FOUND"
    assert setup.refused("close", commitment=name, duplicate_of=memory) == "E_REF_NOT_FOUND"
    assert setup.refused("close", commitment=name, duplicate_of=name) == "E_INVALID_OP"


@pytest.mark.req("M61", "M62")
@pytest.mark.parametrize("op", ["release", "submit"])
def test_only_the_owner_releases_and_submits(setup: CommitmentSetup, op: str) -> None:
    """Somebody else is told whose it is."""
    name = setup.claimed(by="agent:x")

    assert setup.refused(op, "agent:y", commitment=name) == "E_NOT_OWNER"
    assert setup.refused("release", commitment=setup.commit()) == "E_NOT_OWNER"


@pytest.mark.req("M61", "M62")
def test_what_has_ended_is_not_claimed_closed_or_submitted_again(setup: CommitmentSetup) -> None:
    """Closed, duplicate and cancelled alike."""
    closed, duplicate, cancelled = setup.commit(), setup.commit(), setup.commit()
    memory = setup.capture()
    setup.do("close", commitment=closed, evidence=memory)
    setup.do("close", commitment=duplicate, duplicate_of=closed)
    setup.do("cancel", commitment=cancelled, reason="no")

    for name in (closed, duplicate, cancelled):
        assert setup.refused("claim", commitment=name) == "E_ALREADY_CLOSED"
        assert setup.refused("release", commitment=name) == "E_ALREADY_CLOSED"
        assert setup.refused("submit", commitment=name) == "E_ALREADY_CLOSED"
        assert setup.refused("close", commitment=name, evidence=memory) == "E_ALREADY_CLOSED"
        assert setup.refused("cancel", commitment=name, reason="x") == "E_ALREADY_CLOSED"


@pytest.mark.req("M61")
def test_another_ones_commitment_is_not_claimed_or_made_a_duplicate(setup: CommitmentSetup) -> None:
    """Its owner may claim it once more, which changes nothing but the time."""
    name, other = setup.claimed(by="agent:x"), setup.commit()

    assert setup.refused("claim", "agent:y", commitment=name) == "E_ALREADY_CLAIMED"
    assert setup.refused("close", "agent:y", commitment=name, duplicate_of=other) == "E_NOT_OWNER"
    assert setup.refused("cancel", "agent:y", commitment=name, reason="x") == "E_NOT_OWNER"
    setup.do("claim", "agent:x", commitment=name)
    assert setup.commitment(name).owner == "agent:x"


@pytest.mark.req("M61", "M62")
def test_a_source_key_is_used_once_in_a_workspace(setup: CommitmentSetup) -> None:
    """The refusal names what was recorded; another workspace has keys of its own."""
    made = setup.do("capture", body="a", source_key="mail-7")
    with pytest.raises(RefusedError) as caught:
        setup.do("capture", body="b", source_key="mail-7")

    assert caught.value.code is Code.DUPLICATE_SOURCE_KEY
    assert caught.value.about["id"] == made
    assert caught.value.document["error"] == "E_DUPLICATE_SOURCE_KEY"
    setup.do("capture", body="c", source_key="mail-7", place="/w/other")


@pytest.mark.req("M61", "M62")
def test_an_id_that_is_there_is_refused() -> None:
    """Whoever brings its own id cannot replace what was recorded."""
    state = State().after(operation(payload={"body": "a"}))

    assert code_of(operation(payload={"body": "b"}), state) == "E_DUPLICATE_ID"


@pytest.mark.req("M63")
def test_the_order_of_the_checks() -> None:
    """Envelope, duplicates, permission, payload and references, state, constraints: the first refuses."""
    made = operation("capture", payload={"body": "a"}, source_key="k")
    state = State().after(made)
    state.take(operation("commit", id="cmt_1", payload={"body": "b", "source": "mem_1"}))
    nobody = FileRules(file="p", anybody=frozenset())
    only_close = FileRules(
        file="p",
        entries=(OperationEntry(actor="a", operations=frozenset({"close"})),),
        constraints=Constraints(require_claim=[ClaimConstraint(match="all")]),
    )
    bad_all: dict[str, Any] = {"id": "mem_1", "source_key": "k", "payload": {"commitment": 5}}

    assert (
        code_of(operation("close", actor="", **bad_all), state, CommitmentPolicy(parts=(nobody,)))
        == "E_MISSING_FIELD"
    )
    assert code_of(operation("jump", **bad_all), state, CommitmentPolicy(parts=(nobody,))) == "E_INVALID_OP"
    assert (
        code_of(operation("close", **bad_all), state, CommitmentPolicy(parts=(nobody,))) == "E_DUPLICATE_ID"
    )
    bad_all["id"] = "op_2"
    assert (
        code_of(operation("close", **bad_all), state, CommitmentPolicy(parts=(nobody,)))
        == "E_DUPLICATE_SOURCE_KEY"
    )
    bad_all["source_key"] = None
    assert (
        code_of(operation("close", **bad_all), state, CommitmentPolicy(parts=(nobody,)))
        == "E_PERMISSION_DENIED"
    )
    policy = CommitmentPolicy(parts=(only_close,))
    assert code_of(operation("close", **bad_all), state, policy) == "E_INVALID_OP"
    bad_all["payload"] = {"commitment": "cmt_1", "evidence": "mem_9"}
    assert code_of(operation("close", **bad_all), state, policy) == "E_REF_NOT_FOUND"
    bad_all["payload"] = {"commitment": "cmt_1", "evidence": "mem_1"}
    assert code_of(operation("close", **bad_all), state, policy) == "E_CONSTRAINT_VIOLATED"
    closed = state.after(operation("close", id="op_3", payload=bad_all["payload"]))
    assert code_of(operation("close", **bad_all), closed, policy) == "E_ALREADY_CLOSED"


@pytest.mark.req("M59")
def test_workspaces_do_not_see_each_other(setup: CommitmentSetup) -> None:
    """A commitment of one is nothing to another."""
    name = setup.commit()

    assert setup.refused("claim", commitment=name, place="/w/other") == "E_REF_NOT_FOUND"
    assert setup.commitments.state("/w/other").commitments == {}


def test_notes_links_dismissals_triage_and_publications_are_kept(setup: CommitmentSetup) -> None:
    """Each stands with what it is about."""
    memory, spare, name = setup.capture(), setup.capture(), setup.commit()
    setup.do("annotate", target=name, body="see the log")
    setup.do("link", source=memory, target=name, kind="caused_by")
    assert setup.refused("link", source=name, target=name) == "E_INVALID_OP"
    assert setup.refused("link", source=memory, target=name, kind="near") == "E_INVALID_OP"
    setup.do("dismiss", memory=spare, reason="as meant", tags=["noise"])
    assert (
        setup.refused("dismiss", memory=setup.commitment(name).source, reason="x") == "E_CONSTRAINT_VIOLATED"
    )
    decisions = [{"memory": memory, "action": "link", "target": name}, {"memory": spare, "action": "dismiss"}]
    triage = setup.do("triage", reviewed=[memory, spare], summary="Monday", decisions=decisions)
    decisions[0]["target"] = NOWHERE
    assert (
        setup.refused("triage", reviewed=[memory, spare], summary="x", decisions=decisions)
        == "E_REF_NOT_FOUND"
    )
    assert (
        setup.refused(
            "triage", reviewed=[memory], summary="x", decisions=[{"memory": spare, "action": "defer"}]
        )
        == "E_INVALID_OP"
    )
    first = setup.do("publish", module="docs", path="a", source=name)
    second = setup.do("publish", module="docs", path="a")
    state = setup.state

    assert [note.body for note in state.annotations[name]] == ["see the log"]
    assert [(link.source, link.kind) for link in state.links[name]] == [(memory, "caused_by")]
    assert [state.memory_state(one) for one in (memory, spare, setup.commitment(name).source)] == [
        "linked",
        "dismissed",
        "committed",
    ]
    assert state.memory_state(setup.capture()) == "untriaged"
    assert [state.publications[one].version for one in (first, second)] == [1, 2]
    assert triage in state.ids


@pytest.mark.req("M75")
@pytest.mark.parametrize("kind", ["finding", "step_result", "learning"])
def test_what_is_drawn_from_something_must_cite_it(setup: CommitmentSetup, kind: str) -> None:
    """These kinds name a parent; others need none."""
    parent = setup.capture()

    assert setup.refused("capture", body="x", kind=kind) == "E_CITATION_REQUIRED"
    assert setup.refused("capture", body="x", kind=kind, refs=["mem_00000000"]) == "E_REF_NOT_FOUND"
    made = setup.capture(kind=kind, refs=[parent])
    assert setup.state.memories[made].refs == (parent,)
