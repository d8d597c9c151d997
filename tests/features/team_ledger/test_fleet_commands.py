"""`interlock ledger team`, typed by a person."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tests.cli.typed import Interlock, policy
from tests.features.team_ledger.fleet import Fleet

from interlock.features.team_ledger.shipper import Cursor, write_cursor
from interlock.store.clock import timestamp

pytestmark = pytest.mark.deep

NOW = 1_780_000_000.0


@pytest.fixture
def named(fleet: Fleet, home: Path) -> Fleet:
    """A fleet the user's policy names, with entries of two machines."""
    folder = home / "interlock" / "config"
    folder.mkdir(parents=True)
    url = fleet.settings("laptop").url
    policy(folder, f'version: "2.0"\nsettings: {{team_ledger: {{url: "{url}", machine: laptop}}}}\n')
    for name, apart in (("laptop", 0), ("server", 300)):
        machine = fleet.machine(name, clock=partial(float, NOW + apart))
        machine.record(3, tool="Bash", decision="deny" if name == "server" else "allow")
        fleet.ship(machine)
    return fleet


def test_without_a_fleet_it_says_what_to_write(interlock: Interlock) -> None:
    """The error is the first line of the manual."""
    typed = interlock("ledger", "team", "status")

    assert interlock("ledger", "fleet", "status") == typed  # its old name
    assert typed.code == 2
    assert "the policy names no team ledger; write `settings: {team_ledger:" in typed.err


def test_init_makes_it_once_and_lets_roles_in(bare: Fleet, interlock: Interlock) -> None:
    """Done again it changes nothing."""
    bare.sql(f"CREATE ROLE {bare.name}_ship LOGIN", f"CREATE ROLE {bare.name}_read LOGIN")
    url = bare.settings("m").url
    roles = ("--ship", f"{bare.name}_ship", "--read", f"{bare.name}_read")
    first = interlock("ledger", "team", "init", "--url", url, *roles)
    again = interlock("ledger", "team", "init", "--url", url, "--json")
    machine = bare.machine("a")
    machine.record(2)
    bare.ship(machine, role=f"{bare.name}_ship")

    assert (first.code, first.out.split(":")[0]) == (0, "made")
    assert f"{bare.name}_ship may ship" in first.out
    assert again.document["steps"] == []
    reader = bare.settings("m", role=f"{bare.name}_read").url
    assert interlock("ledger", "team", "list", "--url", reader, "--json").out.count("\n") == 2
    refused = interlock("ledger", "team", "list", "--url", bare.settings("m", role=f"{bare.name}_ship").url)
    assert refused.code == 2
    assert "`interlock ledger team init --ship ROLE` or `--read ROLE`" in refused.err


def test_status_shows_every_machine(named: Fleet, interlock: Interlock) -> None:
    """How much each has shipped, and when it last did."""
    shown = interlock("ledger", "team", "status")
    document = interlock("ledger", "team", "status", "--json").document

    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.splitlines()[1:]] == ["MACHINE", "laptop", "server"]
    assert [(one["machine"], one["entries"], one["seq"]) for one in document["machines"]] == [
        ("laptop", 3, 3),
        ("server", 3, 6),
    ]
    assert (document["entries"], document["shipping"], document["error"]) == (6, None, None)


@pytest.mark.req("L08")
def test_list_and_tail_show_both_times_in_the_order_of_the_fleet(named: Fleet, interlock: Interlock) -> None:
    """Newest first in a list, oldest first in a tail; filters and pages as everywhere."""
    listed = interlock("ledger", "team", "list", "--limit", "4")
    rows = [line.split() for line in listed.out.splitlines()]

    assert [row[0] for row in rows] == ["SEQ", "6", "5", "4", "3"]
    assert rows[1][1:3] == ["server", timestamp(NOW + 300)]
    assert rows[4][1:3] == ["laptop", timestamp(NOW)]
    assert rows[1][3] > timestamp(NOW + 300)
    assert listed.err == "older entries: --before 3\n"
    older = interlock("ledger", "team", "list", "--before", "3", "--json").documents
    assert [one["seq"] for one in older] == [2, 1]
    tailed = interlock("ledger", "team", "tail", "-n", "2", "--machine", "laptop", "--json").documents
    assert [(one["seq"], one["machine"], one["body"]["decision"]) for one in tailed] == [
        (2, "laptop", "allow"),
        (3, "laptop", "allow"),
    ]
    denied = interlock("ledger", "team", "list", "--decision", "deny", "--json").documents
    assert {one["machine"] for one in denied} == {"server"}
    for words in (("--actor", "agent:main"), ("--session", "s"), ("--tool", "Bash"), ("--op", "step")):
        assert len(interlock("ledger", "team", "list", *words, "--json").documents) == 6
    assert interlock("ledger", "team", "list", "--actor", "agent:other").out == "no entries\n"


def test_show_prints_one_entry_whole(named: Fleet, interlock: Interlock) -> None:
    """Its places, both times, both hashes and its body."""
    shown = interlock("ledger", "team", "show", "5")
    document = interlock("ledger", "team", "show", "5", "--json").document

    assert (document["machine"], document["machine_seq"], document["body"]["number"]) == ("server", 2, 1)
    assert document["machine_hash"] in shown.out
    assert '"number": 1' in shown.out
    missing = interlock("ledger", "team", "show", "99")
    assert (missing.code, "there is no entry `99`" in missing.err) == (2, True)


def test_verify_says_how_far_it_holds_and_what_this_machine_remembers(
    named: Fleet, interlock: Interlock, home: Path
) -> None:
    """Verified with exit 0, broken with exit 1 and its place."""
    assert "this machine has shipped nothing here" in interlock("ledger", "team", "verify").err
    entry = named.entries()[2]
    fleet = str(named.sql("SELECT ledger FROM interlock.ledger_head")[0][0])
    note = Cursor(
        url=named.settings("laptop").url,
        machine="laptop",
        ledger=entry.machine_ledger,
        seq=3,
        hash=entry.machine_hash.hex(),
        fleet=fleet,
        fleet_seq=3,
        fleet_hash=entry.hash.hex(),
        ts=timestamp(NOW),
    )
    write_cursor(home / "interlock" / "state", note)
    typed = interlock("ledger", "team", "verify")
    assert typed.code == 0
    assert typed.out.splitlines()[0] == "verified: 6 entries of 2 machines"
    assert "this machine remembers entry 3, unchanged" in typed.out
    named.sql(
        "ALTER TABLE interlock.ledger DISABLE TRIGGER ledger_is_kept",
        "UPDATE interlock.ledger SET decision = 'allow' WHERE seq = 5",
    )
    broken = interlock("ledger", "team", "verify")
    assert (broken.code, broken.out) == (1, "broken at 5: column: decision differs from the payload\n")
    document = interlock("ledger", "team", "verify", "--json").document
    assert (document["verified"], document["broken"]["seq"]) == (False, 5)


def test_a_password_on_the_command_line_is_refused(interlock: Interlock) -> None:
    """Whoever lists processes would see it; it is not repeated."""
    typed = interlock("ledger", "team", "status", "--url", "postgresql://a:hunter22@b/c")

    assert typed.code == 2
    assert "a password does not belong here" in typed.err
    assert "hunter22" not in typed.err


def test_a_server_that_is_not_there_is_said_in_one_line(interlock: Interlock, tmp_path: Path) -> None:
    """With exit code 1, as a status that is not good."""
    url = f"postgresql://a@/b?host={tmp_path}"
    typed = interlock("ledger", "team", "status", "--url", url)

    assert (typed.code, typed.err.count("\n")) == (1, 1)
    assert "cannot be reached" in typed.err
    assert interlock("ledger", "team", "status", "--url", url, "--json").document["error"]
