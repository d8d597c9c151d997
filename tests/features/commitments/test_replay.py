"""State is computed from the ledger and from nothing else."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.features.commitments.commitment_setup import PLACE, CommitmentSetup, commitment_setup, replay

from interlock.features.commitments.policy import OPERATIONS, CommitmentPolicy
from interlock.features.commitments.records import Operation, Status, operation_of
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.ledger.export import export, payload_of
from interlock.store.database import open_database
from interlock.store.statements import statements


def plain(state: State) -> dict[str, Any]:
    """A state as values that can be compared."""
    found: dict[str, Any] = msgspec.to_builtins({name: getattr(state, name) for name in State.__slots__})
    return {**found, "ids": sorted(state.ids)}


def exported(setup: CommitmentSetup) -> list[Entry]:
    """The entries of a ledger, read from its export alone."""
    found = []
    for line in b"".join(export(setup.connection)).splitlines():
        payload = payload_of(line)
        kept = msgspec.json.decode(payload)
        found.append(
            Entry(
                kept["seq"],
                kept["id"],
                kept["op"],
                kept["ts"],
                kept["actor"],
                kept["workspace"],
                *(None, None, None, None),
                payload,
                b"",
                b"",
            )
        )
    return found


def worked(setup: CommitmentSetup) -> None:
    """A ledger with a bit of everything in it."""
    name, other = setup.submitted("security"), setup.claimed(session="s1")
    setup.do("reopen", commitment=name, reason="x")
    setup.do("annotate", target=name, body="note")
    setup.do("link", source=setup.capture(), target=other)
    setup.do("dismiss", memory=setup.capture(), reason="noise")
    setup.do("triage", reviewed=[setup.capture()], summary="s")
    setup.do("publish", module="m", path="p")
    setup.do("close", commitment=setup.commit(), duplicate_of=other)
    setup.do("cancel", commitment=setup.commit(), reason="no")


@pytest.mark.req("M59")
def test_the_same_state_comes_from_an_export_and_from_a_restart(setup: CommitmentSetup) -> None:
    """Nothing is kept beside the ledger."""
    worked(setup)

    assert plain(replay(exported(setup))) == plain(setup.state)
    assert plain(setup.reopened().state(PLACE)) == plain(setup.state)


@pytest.mark.req("M59")
def test_a_step_leaves_the_state_before_it_alone(setup: CommitmentSetup) -> None:
    """`after` gives another state; replaying step by step gives the same as all at once."""
    worked(setup)
    states = [State()]
    for entry in setup.entries():
        before = plain(states[-1])
        operation = operation_of(entry)
        assert operation is not None
        states.append(states[-1].after(operation))
        assert plain(states[-2]) == before

    assert plain(states[-1]) == plain(setup.state)


def mentu(op: str, name: str, actor: str, **payload: Any) -> dict[str, Any]:
    """A line of a Mentu ledger."""
    return {
        "id": name,
        "op": op,
        "ts": "2025-01-15T10:30:00Z",
        "actor": actor,
        "workspace": "app",
        "payload": payload,
    }


LINES = [
    mentu(
        "capture",
        "mem_a1b2c3d4",
        "human:r",
        body="bug",
        kind="observation",
        meta={"author_type": "architect"},
    ),
    mentu("commit", "cmt_a1b2c3d4", "human:r", body="fix", source="mem_a1b2c3d4", tags=["x"]),
    mentu("claim", "op_a1b2c3d4", "agent:c", commitment="cmt_a1b2c3d4"),
    mentu("capture", "mem_b1b2c3d4", "agent:c", body="done", kind="evidence"),
    mentu(
        "submit",
        "op_b1b2c3d4",
        "agent:c",
        commitment="cmt_a1b2c3d4",
        evidence=["mem_b1b2c3d4"],
        tier="tier_2",
    ),
]


@pytest.mark.req("M56", "M59")
def test_an_imported_ledger_replays_as_our_own(setup: CommitmentSetup) -> None:
    """What was owed there is owed here, and work goes on."""
    for line in LINES:
        setup.writer.append("imported", "system", PLACE, {"source": "mentu", "entry": line})
    setup.writer.flush()
    found = setup.commitment("cmt_a1b2c3d4")

    assert (found.state, found.owner, found.evidence) == (Status.IN_REVIEW, "agent:c", ("mem_b1b2c3d4",))
    assert found.ts == "2025-01-15T10:30:00Z"
    assert setup.refused("approve", "agent:c", commitment=found.id) == "E_PERMISSION_DENIED"
    setup.do("approve", "human:r", commitment=found.id)
    assert setup.reopened().state(PLACE).commitments[found.id].state is Status.CLOSED


def test_neither_owner_nor_submitter_approves_where_they_differ(setup: CommitmentSetup) -> None:
    """In a ledger that is not ours they may be two."""
    for line in (*LINES[:4], {**LINES[4], "actor": "agent:d"}):
        setup.writer.append("imported", "system", PLACE, {"source": "mentu", "entry": line})
    setup.writer.flush()

    assert setup.refused("approve", "agent:c", commitment="cmt_a1b2c3d4") == "E_PERMISSION_DENIED"
    assert setup.refused("approve", "agent:d", commitment="cmt_a1b2c3d4") == "E_PERMISSION_DENIED"


def test_an_import_without_a_place_stands_under_its_own_name(setup: CommitmentSetup) -> None:
    """And one that is imported twice stands once."""
    for _ in range(2):
        for line in LINES:
            setup.writer.append("imported", "system", "", {"source": "mentu", "entry": line})
    setup.writer.flush()

    assert list(setup.commitments.state("app").commitments) == ["cmt_a1b2c3d4"]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
members = st.sampled_from(
    [
        "body",
        "kind",
        "refs",
        "source",
        "tags",
        "commitment",
        "evidence",
        "target",
        "memory",
        "version",
        "meta",
    ]
)


@pytest.mark.deep
@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*OPERATIONS, "other"]),
            st.sampled_from(["a", "b", "c", "d"]),
            st.dictionaries(members, values | st.sampled_from(["a", "b", "c"]), max_size=4),
        ),
        max_size=8,
    )
)
def test_no_imported_entry_breaks_the_replay(lines: list[tuple[str, str, dict[str, Any]]]) -> None:
    """Whatever stands in a ledger that is not ours is followed or passed over."""
    state = State()
    for op, name, payload in lines:
        line = {"op": op, "id": name, "actor": "x", "payload": payload}
        body = msgspec.json.encode({"body": {"source": "mentu", "entry": line}})
        operation = operation_of(Entry(1, "i", "imported", "t", "s", "/w", *(None,) * 4, body, b"", b""))
        if operation is not None:
            state.take(operation)

    assert all(one.state in Status for one in state.commitments.values())


def test_an_entry_about_something_else_is_no_operation() -> None:
    """Decisions and imports of other sources are passed over."""
    for op, body in (
        ("decision", {"event": "Stop"}),
        ("imported", {"source": "interlock", "entry": LINES[0]}),
        ("imported", {"source": "mentu", "entry": "text"}),
        ("imported", {"source": "mentu", "entry": {"op": "claim"}}),
        ("capture", "no mapping"),
    ):
        payload = msgspec.json.encode({"body": body})
        assert operation_of(Entry(1, "i", op, "t", "s", "/w", *(None,) * 4, payload, b"", b"")) is None


@pytest.mark.parametrize("name", ["after", "upto", "carried"])
def test_operations_are_found_without_reading_the_rest(setup: CommitmentSetup, name: str) -> None:
    """However many decisions stand between them, starting reads none."""
    values = {"after": (0, 10), "upto": (5,), "carried": ()}[name]
    plan = setup.connection.execute(
        f"EXPLAIN QUERY PLAN {statements('commitments')[name]}", values
    ).fetchall()

    assert any("ledger_commitments" in str(row) for row in plan), plan


def test_commitments_outlive_the_entries_they_stand_in(tmp_path: Path) -> None:
    """Carried over a removal, twice: each stands as before, also what has ended; the rest may be gone."""
    with commitment_setup(tmp_path) as setup:
        owed, session = setup.claimed("x", session="s1"), setup.commit()
        setup.do("annotate", target=owed, body="note")
        setup.do("link", source=setup.capture("why"), target=owed)
        setup.capture("validated", kind="validation", refs=[owed], meta={"approved": True})
        setup.do("claim", "agent:z", commitment=session, session="s2")
        ended = setup.submitted()
        setup.capture("of no commitment")
        before, closed = setup.commitment(owed), setup.commitment(ended)
        proof = {setup.commitments.state(PLACE).memories[name].body for name in closed.evidence}
        for _ in range(2):
            last = setup.writer.head.seq
            assert setup.commitments.carry(last)
            setup.connection.execute("DELETE FROM ledger WHERE seq <= ?", (last,))
            setup.do("annotate", target=owed, body="later")
        fresh = setup.reopened()
        state = fresh.state(PLACE)

        assert state.commitments[owed] == before
        assert state.commitments[ended] == closed
        assert [note.body for note in state.annotations[owed]] == ["note", "later", "later"]
        assert {memory.body for memory in state.memories.values()} == {"it fails", "why", "validated"} | proof
        assert (fresh.held_by("s1"), fresh.held_by("s2")) == (owed, session)
        setup.do("release", "agent:x", commitment=owed)
        assert setup.reopened().state(PLACE).commitments[owed].state is Status.OPEN


def test_carried_entries_that_are_none_are_passed_over(setup: CommitmentSetup) -> None:
    """A damaged one takes nothing else with it."""
    setup.writer.append("carried", "system", PLACE, {"carried": {"seq": "x"}})
    setup.writer.append("carried", "system", PLACE, {})
    setup.writer.flush()

    assert setup.reopened().state(PLACE).commitments == {}


def test_a_session_is_at_work_on_what_it_claimed_last(setup: CommitmentSetup) -> None:
    """Closing the last leads back to the one before; releasing and ending leave nothing."""
    first, second = setup.claimed(session="s1"), setup.claimed(session="s1")
    at_work = setup.commitments.held_by

    assert at_work("s1") == second
    assert at_work("s2") is None
    setup.do("submit", "agent:x", commitment=second)
    assert at_work("s1") == first
    setup.do("reopen", commitment=second, reason="x")
    assert at_work("s1") == second
    setup.do("claim", "agent:x", commitment=first, session="s2")
    assert (at_work("s1"), at_work("s2")) == (second, first)
    setup.do("release", "agent:x", commitment=second)
    assert at_work("s1") is None
    assert setup.reopened().held_by("s2") == first


def test_of_three_claims_the_later_ones_come_first(setup: CommitmentSetup) -> None:
    """The order of claiming counts, also when one is claimed once more."""
    first, second, third = (setup.claimed(session="s1") for _ in range(3))
    setup.do("release", "agent:x", commitment=third)
    assert setup.commitments.held_by("s1") == second
    setup.do("claim", "agent:x", commitment=first, session="s1")
    assert setup.commitments.held_by("s1") == first
    setup.do("release", "agent:x", commitment=first)
    assert setup.commitments.held_by("s1") == second


def test_conditions_are_told_how_the_commitment_stands(tmp_path: Path) -> None:
    """Its tier and whether that waits follow the policy that judges; made anew when either changes."""
    with commitment_setup(tmp_path, "settings:\n  tiers: {rules: [{tags: [x], tier: tier_3}]}\n") as setup:
        name = setup.claimed("x", session="s1")
        facts = setup.commitments.facts(name, setup.policy)

        assert facts == {
            "id": name,
            "state": "claimed",
            "tier": "tier_3",
            "tags": ["x"],
            "body": "fix it",
            "requires_review": True,
            "owner": "agent:x",
            "evidence": 0,
            "sent_back": 0,
        }
        assert setup.commitments.facts(name, setup.policy) is facts
        assert setup.commitments.facts(name, CommitmentPolicy())["requires_review"] is False
        setup.do("submit", "agent:x", commitment=name)
        assert setup.commitments.facts(name, setup.policy)["state"] == "in_review"
        assert setup.commitments.facts(name, setup.policy)["evidence"] == 1


def test_an_operation_is_the_same_after_it_was_recorded(tmp_path: Path) -> None:
    """What the ledger has of it is what was asked for."""
    with closing(open_database(tmp_path / "s" / "interlock.db")) as connection:
        setup = CommitmentSetup(connection=connection)
        name = setup.claimed(session="s1")
        entry = setup.entries()[-1]

        assert operation_of(entry) == Operation(
            op="claim",
            id=entry.id,
            ts=entry.ts,
            actor="agent:x",
            workspace=PLACE,
            payload={"commitment": name},
            session_id="s1",
        )
