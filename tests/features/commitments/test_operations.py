"""What each operation makes of a commitment, and what it is refused for."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.features.commitments.desk import PLACE, Desk

from interlock.features.commitments.checks import Circumstances, check
from interlock.features.commitments.operations import FIELDS
from interlock.features.commitments.policy import (
    OPERATIONS,
    CommitmentPolicy,
    FileRules,
    Match,
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
def test_an_operation_is_one_entry_under_its_own_name(desk: Desk) -> None:
    """Id, op, time, actor, workspace and source key stand where a reader looks for them."""
    made = desk.do("capture", "human:ada", body="seen", kind="note", source_key="k1", session="s1")
    entry = desk.entries()[-1]

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
def test_ids_tell_the_kind_and_have_eight_digits(desk: Desk) -> None:
    """`mem_`, `cmt_`, `pub_`, and `op_` for everything else."""
    memory = desk.capture()
    commitment = desk.commit(source=memory)
    names = {
        "mem": memory,
        "cmt": commitment,
        "op": desk.do("claim", commitment=commitment),
        "pub": desk.do("publish", module="docs", path="a"),
    }

    assert all(re.fullmatch(rf"{prefix}_[0-9a-f]{{8}}", name) for prefix, name in names.items())
    assert all(SHAPE.fullmatch(name) for name in names.values())


@pytest.mark.req("M57", "M61")
def test_an_id_is_never_given_twice() -> None:
    """A number that is taken is drawn again."""
    numbers = iter([7, 7, 8])

    assert new_id("capture", {"mem_00000007"}, lambda: next(numbers)) == "mem_00000008"


@pytest.mark.req("M59")
def test_a_commitment_needs_an_existing_memory(desk: Desk) -> None:
    """No source, an unknown one, and a commitment in its place are refused."""
    name = desk.commit()

    assert desk.refused("commit", body="x") == "E_MISSING_FIELD"
    assert desk.refused("commit", body="x", source="mem_00000000") == "E_REF_NOT_FOUND"
    assert desk.refused("commit", body="x", source=name) == "E_REF_NOT_FOUND"


@pytest.mark.req("M60")
def test_the_way_from_open_to_closed(desk: Desk) -> None:
    """claim, submit and approve lead on, each from the state before it."""
    desk.policy = CommitmentPolicy(parts=(_review(),))
    name = desk.commit()
    states = [desk.commitment(name).state]
    for op, actor in (("claim", "agent:x"), ("submit", "agent:x"), ("approve", "human:ada")):
        desk.do(op, actor, commitment=name)
        states.append(desk.commitment(name).state)

    assert states == [Status.OPEN, Status.CLAIMED, Status.IN_REVIEW, Status.CLOSED]
    assert desk.commitment(name).closed_by == "human:ada"


def _review() -> FileRules:
    return FileRules(file="p", waiting=frozenset({Tier.TIER_2}))


@pytest.mark.req("M60")
@pytest.mark.parametrize("op", ["reopen", "reject"])
@pytest.mark.parametrize("waits", [True, False])
def test_reopening_keeps_the_owner(desk: Desk, op: str, waits: bool) -> None:
    """Also of what was closed already; and it is recorded under the word that was used."""
    desk.policy = CommitmentPolicy(parts=(_review(),)) if waits else CommitmentPolicy()
    name = desk.submitted()
    before = str(desk.commitment(name).state)
    desk.do(op, commitment=name, reason="no test", domain="technical")
    found = desk.commitment(name)

    assert (found.state, found.owner, found.reason) == (Status.REOPENED, "agent:x", "no test")
    assert desk.entries()[-1].op == op
    assert desk.entries()[-1].body["from_state"] == before
    assert desk.refused("claim", "agent:y", commitment=name) == "E_ALREADY_CLAIMED"
    assert desk.refused("submit", "agent:x", commitment=name) == "E_INVALID_OP"
    desk.do("claim", "agent:x", commitment=name)
    assert desk.commitment(name).state is Status.CLAIMED


@pytest.mark.req("M60")
def test_releasing_gives_it_back(desk: Desk) -> None:
    """It is open, without an owner, and others may claim it."""
    name = desk.claimed(by="agent:x")
    desk.do("release", "agent:x", commitment=name)

    assert (desk.commitment(name).state, desk.commitment(name).owner) == (Status.OPEN, None)
    desk.do("claim", "agent:y", commitment=name)
    assert desk.commitment(name).owner == "agent:y"


@pytest.mark.req("M6", "M60")
def test_closing_with_evidence_or_as_a_duplicate(desk: Desk) -> None:
    """Evidence closes at once; naming another makes it that one's duplicate."""
    first, second = desk.commit(), desk.commit()
    evidence = desk.capture("done")
    desk.do("close", commitment=first, evidence=evidence)
    desk.do("close", commitment=second, duplicate_of=first)

    assert desk.commitment(first).state is Status.CLOSED
    assert desk.commitment(first).evidence == (evidence,)
    assert desk.commitment(second).state is Status.DUPLICATE
    assert desk.commitment(second).duplicate_of == first


@pytest.mark.req("M61", "M62")
def test_closing_needs_exactly_one_of_evidence_and_duplicate(desk: Desk) -> None:
    """Neither, both, what is not a memory and what is oneself are refused."""
    name, memory, other = desk.commit(), desk.capture(), desk.commit()

    assert desk.refused("close", commitment=name) == "E_MISSING_FIELD"
    assert desk.refused("close", commitment=name, evidence=memory, duplicate_of=other) == "E_INVALID_OP"
    assert desk.refused("close", commitment=name, evidence=other) == "E_REF_NOT_FOUND"
    assert desk.refused("close", commitment=name, duplicate_of=memory) == "E_REF_NOT_FOUND"
    assert desk.refused("close", commitment=name, duplicate_of=name) == "E_INVALID_OP"


@pytest.mark.req("M61", "M62")
@pytest.mark.parametrize("op", ["release", "submit"])
def test_only_the_owner_releases_and_submits(desk: Desk, op: str) -> None:
    """Somebody else is told whose it is."""
    name = desk.claimed(by="agent:x")

    assert desk.refused(op, "agent:y", commitment=name) == "E_NOT_OWNER"
    assert desk.refused("release", commitment=desk.commit()) == "E_NOT_OWNER"


@pytest.mark.req("M61", "M62")
def test_what_has_ended_is_not_claimed_closed_or_submitted_again(desk: Desk) -> None:
    """Closed, duplicate and cancelled alike."""
    closed, duplicate, cancelled = desk.commit(), desk.commit(), desk.commit()
    memory = desk.capture()
    desk.do("close", commitment=closed, evidence=memory)
    desk.do("close", commitment=duplicate, duplicate_of=closed)
    desk.do("cancel", commitment=cancelled, reason="no")

    for name in (closed, duplicate, cancelled):
        assert desk.refused("claim", commitment=name) == "E_ALREADY_CLOSED"
        assert desk.refused("release", commitment=name) == "E_ALREADY_CLOSED"
        assert desk.refused("submit", commitment=name) == "E_ALREADY_CLOSED"
        assert desk.refused("close", commitment=name, evidence=memory) == "E_ALREADY_CLOSED"
        assert desk.refused("cancel", commitment=name, reason="x") == "E_ALREADY_CLOSED"


@pytest.mark.req("M61")
def test_another_ones_commitment_is_not_claimed_or_made_a_duplicate(desk: Desk) -> None:
    """Its owner may claim it once more, which changes nothing but the time."""
    name, other = desk.claimed(by="agent:x"), desk.commit()

    assert desk.refused("claim", "agent:y", commitment=name) == "E_ALREADY_CLAIMED"
    assert desk.refused("close", "agent:y", commitment=name, duplicate_of=other) == "E_NOT_OWNER"
    assert desk.refused("cancel", "agent:y", commitment=name, reason="x") == "E_NOT_OWNER"
    desk.do("claim", "agent:x", commitment=name)
    assert desk.commitment(name).owner == "agent:x"


@pytest.mark.req("M61", "M62")
def test_a_source_key_is_used_once_in_a_workspace(desk: Desk) -> None:
    """The refusal names what was recorded; another workspace has keys of its own."""
    made = desk.do("capture", body="a", source_key="mail-7")
    with pytest.raises(RefusedError) as caught:
        desk.do("capture", body="b", source_key="mail-7")

    assert caught.value.code is Code.DUPLICATE_SOURCE_KEY
    assert caught.value.about["id"] == made
    assert caught.value.document["error"] == "E_DUPLICATE_SOURCE_KEY"
    desk.do("capture", body="c", source_key="mail-7", place="/w/other")


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
        require_claim=(Match(everything=True),),
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
def test_workspaces_do_not_see_each_other(desk: Desk) -> None:
    """A commitment of one is nothing to another."""
    name = desk.commit()

    assert desk.refused("claim", commitment=name, place="/w/other") == "E_REF_NOT_FOUND"
    assert desk.commitments.state("/w/other").commitments == {}


def test_notes_links_dismissals_triage_and_publications_are_kept(desk: Desk) -> None:
    """Each stands with what it is about."""
    memory, spare, name = desk.capture(), desk.capture(), desk.commit()
    desk.do("annotate", target=name, body="see the log")
    desk.do("link", source=memory, target=name, kind="caused_by")
    assert desk.refused("link", source=name, target=name) == "E_INVALID_OP"
    assert desk.refused("link", source=memory, target=name, kind="near") == "E_INVALID_OP"
    desk.do("dismiss", memory=spare, reason="as meant", tags=["noise"])
    assert desk.refused("dismiss", memory=desk.commitment(name).source, reason="x") == "E_CONSTRAINT_VIOLATED"
    decisions = [{"memory": memory, "action": "link", "target": name}, {"memory": spare, "action": "dismiss"}]
    desk.do("triage", reviewed=[memory, spare], summary="Monday", decisions=decisions)
    decisions[0]["target"] = NOWHERE
    assert (
        desk.refused("triage", reviewed=[memory, spare], summary="x", decisions=decisions)
        == "E_REF_NOT_FOUND"
    )
    assert (
        desk.refused(
            "triage", reviewed=[memory], summary="x", decisions=[{"memory": spare, "action": "defer"}]
        )
        == "E_INVALID_OP"
    )
    first = desk.do("publish", module="docs", path="a", source=name)
    second = desk.do("publish", module="docs", path="a")
    state = desk.state

    assert [note.body for note in state.annotations[name]] == ["see the log"]
    assert [(link.source, link.kind) for link in state.links[name]] == [(memory, "caused_by")]
    assert [state.memory_state(one) for one in (memory, spare, desk.commitment(name).source)] == [
        "linked",
        "dismissed",
        "committed",
    ]
    assert state.memory_state(desk.capture()) == "untriaged"
    assert [state.publications[one].version for one in (first, second)] == [1, 2]
    assert len(state.triages) == 1


@pytest.mark.req("M75")
@pytest.mark.parametrize("kind", ["finding", "step_result", "learning"])
def test_what_is_drawn_from_something_must_cite_it(desk: Desk, kind: str) -> None:
    """These kinds name a parent; others need none."""
    parent = desk.capture()

    assert desk.refused("capture", body="x", kind=kind) == "E_CITATION_REQUIRED"
    assert desk.refused("capture", body="x", kind=kind, refs=["mem_00000000"]) == "E_REF_NOT_FOUND"
    made = desk.capture(kind=kind, refs=[parent])
    assert desk.state.memories[made].refs == (parent,)
