"""Laws of a database that is damaged: nothing is allowed on it until a person has repaired it."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

import pytest
from tests.daemon.home import Home, bash, decided, event, wait_for

from interlock.features.ledger_tools.cli_maintenance import repair
from interlock.redaction.redactor import KEYLESS
from interlock.store.database import damage_note

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: who, type: ask, matcher: "Bash(make *)", config: {reason: "is it ready?"}}
"""
NEXT = "run `interlock ledger repair`"
BYPASS = {"permission_mode": "bypassPermissions"}


def spoil(home: Home, table: str) -> None:
    """Overwrite the first page of a table, as a failing disk may."""
    with closing(sqlite3.connect(home.places.database, timeout=90)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = other.execute("PRAGMA page_size").fetchone()[0]
        where = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        page = other.execute(where, (table,)).fetchone()[0]
    with home.places.database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def closed(home: Home) -> str | None:
    """What the status says."""
    found = home.status()
    assert found is not None
    why: str | None = found["closed"]
    return why


def damaged(place: Home) -> Home:
    """A home whose daemon has met a damaged page of the table of approvals."""
    place.write_policy(POLICY)
    place.start()
    assert decided(place.shim(bash("ls", tool_use_id="before")))[0] is None
    spoil(place, "approvals")
    assert decided(place.shim(bash("make all", tool_use_id="ask", **BYPASS)))[0] == "deny"
    return place


@pytest.mark.req("F01", "D03")
def test_one_damaged_page_stops_every_allow_until_a_person_has_repaired_it(place: Home) -> None:
    """Also of calls that do not touch that page; the reason has the next step, and what is over passes."""
    home = damaged(place)
    vote, reason = decided(home.shim(bash("ls", tool_use_id="t1")))
    over = decided(home.shim(event("PostToolUse", tool_name="Bash", tool_input={}, tool_response={})))

    assert (vote, NEXT in reason) == ("deny", True)
    assert over == (None, "")
    assert NEXT in (closed(home) or "")
    assert "is damaged" in home.places.log.read_text()
    assert [entry.body["tool_use_id"] for entry in home.entries("decision")] == ["before"]


@pytest.mark.req("F01", "D03")
def test_a_daemon_that_starts_on_a_damaged_database_stays_closed(place: Home) -> None:
    """It says so in its answers and at the start of a session, whichever page is met when."""
    home = damaged(place)
    home.end()
    vote, reason = decided(home.shim(bash("ls", tool_use_id="t1")))
    greeting = home.shim(event("SessionStart", source="startup"))

    assert (vote, NEXT in reason) == ("deny", True)
    assert NEXT.encode() in greeting.stdout


@pytest.mark.req("F01", "D03")
@pytest.mark.parametrize("table", ["header", "ledger", "tool_calls"])
def test_damage_that_is_met_at_the_start_is_told_in_the_first_answer(place: Home, table: str) -> None:
    """Whatever a daemon reads first, it comes up and denies with the reason."""
    place.start()
    place.shim(bash("ls", tool_use_id="before"))
    place.end()
    if table == "header":
        place.places.database.write_bytes(b"\xff" * 4096)
    else:
        spoil(place, table)
    first = decided(place.shim(bash("ls", tool_use_id="t1")))
    if table != "tool_calls":  # which is read only when calls are recorded
        assert (first[0], NEXT in first[1]) == ("deny", True)
    assert closed(place) is None or first[0] == "deny"


@pytest.mark.req("F01", "F03")
def test_after_a_repair_a_new_chain_says_what_it_follows_and_the_old_file_is_kept(place: Home) -> None:
    """The alarm, the gap and what went on meanwhile are its first entries."""
    home = damaged(place)
    home.shim(event("PostToolUse", tool_name="Bash", tool_input={}, tool_response={}))
    home.started[0].terminate()
    home.started[0].wait(90)
    done = repair(home.places.database, KEYLESS, time.time, "now")
    after = decided(home.shim(bash("ls", tool_use_id="after")))

    assert (after, closed(home)) == ((None, ""), None)
    assert not damage_note(home.places.database).exists()
    assert (done.sound, done.last) == (False, 1)
    assert home.places.database.with_name("interlock.db.damaged-now").exists()
    wait_for(lambda: home.entries("decision"), "the call is recorded")
    alarm, gap, meanwhile, *_ = home.entries()
    assert (alarm.op, "found damaged" in alarm.body["reason"]) == ("alarm", True)
    assert gap.body["before"]["seq"] == 1
    assert meanwhile.body["outcomes"] == {"unrecorded": meanwhile.body["lost"]}
    assert home.broken() is None


def test_a_backup_that_was_put_back_is_gone_on_with(place: Home) -> None:
    """A sound file is not replaced: the chain goes on, and says that it was closed."""
    home = place
    home.write_policy(POLICY)
    home.start()
    home.shim(bash("ls", tool_use_id="before"))
    with closing(sqlite3.connect(home.places.database)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    backup = home.places.database.read_bytes()
    spoil(home, "approvals")
    home.shim(bash("make all", tool_use_id="ask", **BYPASS))
    home.started[0].terminate()
    home.started[0].wait(90)
    for side in ("-wal", "-shm"):
        home.places.database.with_name(f"interlock.db{side}").unlink(missing_ok=True)
    home.places.database.write_bytes(backup)

    assert repair(home.places.database, KEYLESS, time.time, "now").sound
    assert decided(home.shim(bash("ls", tool_use_id="after")))[0] is None
    assert [entry.op for entry in home.entries()][:2] == ["decision", "alarm"]
