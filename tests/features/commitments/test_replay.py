"""State is computed from the ledger and from nothing else."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.features.commitments.desk import PLACE, Desk, desk_at

from interlock.features.commitments.policy import OPERATIONS, CommitmentPolicy
from interlock.features.commitments.records import Operation, Status, operation_of
from interlock.features.commitments.state import State, replay
from interlock.ledger.entry import Entry
from interlock.ledger.export import export, payload_of
from interlock.store.database import open_database
from interlock.store.statements import statements


def plain(state: State) -> dict[str, Any]:
    """A state as values that can be compared."""
    found: dict[str, Any] = msgspec.to_builtins({name: getattr(state, name) for name in State.__slots__})
    return {**found, "ids": sorted(state.ids)}


def exported(desk: Desk) -> list[Entry]:
    """The entries of a ledger, read from its export alone."""
    found = []
    for line in b"".join(export(desk.connection)).splitlines():
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


def worked(desk: Desk) -> None:
    """A ledger with a bit of everything in it."""
    name, other = desk.submitted("security"), desk.claimed(session="s1")
    desk.do("reopen", commitment=name, reason="x")
    desk.do("annotate", target=name, body="note")
    desk.do("link", source=desk.capture(), target=other)
    desk.do("dismiss", memory=desk.capture(), reason="noise")
    desk.do("triage", reviewed=[desk.capture()], summary="s")
    desk.do("publish", module="m", path="p")
    desk.do("close", commitment=desk.commit(), duplicate_of=other)
    desk.do("cancel", commitment=desk.commit(), reason="no")


@pytest.mark.req("M59")
def test_the_same_state_comes_from_an_export_and_from_a_restart(desk: Desk) -> None:
    """Nothing is kept beside the ledger."""
    worked(desk)

    assert plain(replay(exported(desk))) == plain(desk.state)
    assert plain(desk.reopened().state(PLACE)) == plain(desk.state)


@pytest.mark.req("M59")
def test_a_step_leaves_the_state_before_it_alone(desk: Desk) -> None:
    """`after` gives another state; replaying step by step gives the same as all at once."""
    worked(desk)
    states = [State()]
    for entry in desk.entries():
        before = plain(states[-1])
        states.append(states[-1].after(entry))
        assert plain(states[-2]) == before

    assert plain(states[-1]) == plain(desk.state)


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
def test_an_imported_ledger_replays_as_our_own(desk: Desk) -> None:
    """What was owed there is owed here, and work goes on."""
    for line in LINES:
        desk.writer.append("imported", "system", PLACE, {"source": "mentu", "entry": line})
    desk.writer.flush()
    found = desk.commitment("cmt_a1b2c3d4")

    assert (found.state, found.owner, found.evidence) == (Status.IN_REVIEW, "agent:c", ("mem_b1b2c3d4",))
    assert found.ts == "2025-01-15T10:30:00Z"
    assert desk.refused("approve", "agent:c", commitment=found.id) == "E_PERMISSION_DENIED"
    desk.do("approve", "human:r", commitment=found.id)
    assert desk.reopened().state(PLACE).commitments[found.id].state is Status.CLOSED


def test_neither_owner_nor_submitter_approves_where_they_differ(desk: Desk) -> None:
    """In a ledger that is not ours they may be two."""
    for line in (*LINES[:4], {**LINES[4], "actor": "agent:d"}):
        desk.writer.append("imported", "system", PLACE, {"source": "mentu", "entry": line})
    desk.writer.flush()

    assert desk.refused("approve", "agent:c", commitment="cmt_a1b2c3d4") == "E_PERMISSION_DENIED"
    assert desk.refused("approve", "agent:d", commitment="cmt_a1b2c3d4") == "E_PERMISSION_DENIED"


def test_an_import_without_a_place_stands_under_its_own_name(desk: Desk) -> None:
    """And one that is imported twice stands once."""
    for _ in range(2):
        for line in LINES:
            desk.writer.append("imported", "system", "", {"source": "mentu", "entry": line})
    desk.writer.flush()

    assert list(desk.commitments.state("app").commitments) == ["cmt_a1b2c3d4"]


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
        state.take(Entry(1, "i", "imported", "t", "s", "/w", *(None,) * 4, body, b"", b""))

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
def test_operations_are_found_without_reading_the_rest(desk: Desk, name: str) -> None:
    """However many decisions stand between them, starting reads none."""
    values = {"after": (0, 10), "upto": (5,), "carried": ()}[name]
    plan = desk.connection.execute(f"EXPLAIN QUERY PLAN {statements('commitments')[name]}", values).fetchall()

    assert any("ledger_commitments" in str(row) for row in plan), plan


def test_commitments_outlive_the_entries_they_stand_in(tmp_path: Path) -> None:
    """Carried over a removal, twice: each stands as before, also what has ended; the rest may be gone."""
    with desk_at(tmp_path) as desk:
        owed, session = desk.claimed("x", session="s1"), desk.commit()
        desk.do("annotate", target=owed, body="note")
        desk.do("link", source=desk.capture("why"), target=owed)
        desk.capture("validated", kind="validation", refs=[owed], meta={"approved": True})
        desk.do("claim", "agent:z", commitment=session, session="s2")
        ended = desk.submitted()
        desk.capture("of no commitment")
        before, closed = desk.commitment(owed), desk.commitment(ended)
        proof = {desk.commitments.state(PLACE).memories[name].body for name in closed.evidence}
        for _ in range(2):
            last = desk.writer.head.seq
            assert desk.commitments.carry(last)
            desk.connection.execute("DELETE FROM ledger WHERE seq <= ?", (last,))
            desk.do("annotate", target=owed, body="later")
        fresh = desk.reopened()
        state = fresh.state(PLACE)

        assert state.commitments[owed] == before
        assert state.commitments[ended] == closed
        assert [note.body for note in state.annotations[owed]] == ["note", "later", "later"]
        assert {memory.body for memory in state.memories.values()} == {"it fails", "why", "validated"} | proof
        assert (fresh.held_by("s1"), fresh.held_by("s2")) == (owed, session)
        desk.do("release", "agent:x", commitment=owed)
        assert desk.reopened().state(PLACE).commitments[owed].state is Status.OPEN


def test_carried_entries_that_are_none_are_passed_over(desk: Desk) -> None:
    """A damaged one takes nothing else with it."""
    desk.writer.append("carried", "system", PLACE, {"carried": {"seq": "x"}})
    desk.writer.append("carried", "system", PLACE, {})
    desk.writer.flush()

    assert desk.reopened().state(PLACE).commitments == {}


def test_a_session_is_at_work_on_what_it_claimed_last(desk: Desk) -> None:
    """Closing the last leads back to the one before; releasing and ending leave nothing."""
    first, second = desk.claimed(session="s1"), desk.claimed(session="s1")
    at_work = desk.commitments.held_by

    assert at_work("s1") == second
    assert at_work("s2") is None
    desk.do("submit", "agent:x", commitment=second)
    assert at_work("s1") == first
    desk.do("reopen", commitment=second, reason="x")
    assert at_work("s1") == second
    desk.do("claim", "agent:x", commitment=first, session="s2")
    assert (at_work("s1"), at_work("s2")) == (second, first)
    desk.do("release", "agent:x", commitment=second)
    assert at_work("s1") is None
    assert desk.reopened().held_by("s2") == first


def test_of_three_claims_the_later_ones_come_first(desk: Desk) -> None:
    """The order of claiming counts, also when one is claimed once more."""
    first, second, third = (desk.claimed(session="s1") for _ in range(3))
    desk.do("release", "agent:x", commitment=third)
    assert desk.commitments.held_by("s1") == second
    desk.do("claim", "agent:x", commitment=first, session="s1")
    assert desk.commitments.held_by("s1") == first
    desk.do("release", "agent:x", commitment=first)
    assert desk.commitments.held_by("s1") == second


def test_conditions_are_told_how_the_commitment_stands(tmp_path: Path) -> None:
    """Its tier and whether that waits follow the policy that judges; made anew when either changes."""
    with desk_at(tmp_path, "settings:\n  tiers: {rules: [{tags: [x], tier: tier_3}]}\n") as desk:
        name = desk.claimed("x", session="s1")
        facts = desk.commitments.facts(name, desk.policy)

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
        assert desk.commitments.facts(name, desk.policy) is facts
        assert desk.commitments.facts(name, CommitmentPolicy())["requires_review"] is False
        desk.do("submit", "agent:x", commitment=name)
        assert desk.commitments.facts(name, desk.policy)["state"] == "in_review"
        assert desk.commitments.facts(name, desk.policy)["evidence"] == 1


def test_an_operation_is_the_same_after_it_was_recorded(tmp_path: Path) -> None:
    """What the ledger has of it is what was asked for."""
    with closing(open_database(tmp_path / "s" / "interlock.db")) as connection:
        desk = Desk(connection=connection)
        name = desk.claimed(session="s1")
        entry = desk.entries()[-1]

        assert operation_of(entry) == Operation(
            op="claim",
            id=entry.id,
            ts=entry.ts,
            actor="agent:x",
            workspace=PLACE,
            payload={"commitment": name},
            session_id="s1",
        )
