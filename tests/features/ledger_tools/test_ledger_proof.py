"""Laws of the commands that prove, keep and move a ledger, with a real daemon."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.features.ledger_tools.test_mentu import chained, entry
from tests.ledger.records import record

from interlock.cli.policy_source import here
from interlock.daemon.launcher import stop
from interlock.daemon.paths import Places, places_of
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read

pytestmark = pytest.mark.deep

VERIFY = ("ledger", "verify")


@pytest.fixture(autouse=True)
def places() -> Iterator[Places]:
    """A home with a hundred entries; the daemon a command starts in it ends with the test."""
    with closing(open_database(here().database)) as connection:
        record(LedgerWriter(connection), *range(100))
    found = places_of(here())
    yield found
    stop(found)


def ops() -> list[str]:
    """The kinds of everything recorded after the first hundred."""
    with closing(open_to_read(here().database)) as connection:
        return [one.op for one in LedgerReader(connection).after(100, limit=10_000)]


def forget_end(last: int) -> None:
    """Cut the end off with another program."""
    stop(places_of(here()))
    with closing(open_database(here().database)) as connection:
        connection.execute("DELETE FROM ledger WHERE seq > ?", (last,))


@pytest.mark.req("L02")
def test_a_checkpoint_kept_elsewhere_finds_a_cut_end(interlock: Interlock, work: Path) -> None:
    """Without it `verify` says what it cannot know; with it the first missing entry is named, exit 1."""
    made = interlock("ledger", "checkpoint", "--out", str(work / "kept.json"))
    assert made.code == 0
    assert "entry 100" in made.out
    held = interlock(*VERIFY, "--checkpoint", str(work / "kept.json"))
    assert "entry 100" in held.out
    assert "1 came after it" in held.out
    forget_end(60)

    alone = interlock(*VERIFY)
    assert (alone.code, "Only a checkpoint kept" in alone.err) == (0, True)
    broken = interlock(*VERIFY, "--checkpoint", str(work / "kept.json"))
    assert (broken.code, broken.out.startswith("broken at 61: end: 61 to 100 missing")) == (1, True)


def test_self_signed_is_said_unless_the_key_is_kept_elsewhere(interlock: Interlock, work: Path) -> None:
    """A key given as digits or as a file; another one is a fault."""
    document = json.loads(interlock("ledger", "checkpoint").out)
    (work / "kept.json").write_text(json.dumps(document))
    (work / "key.pub").write_text(document["key"] + "\n")
    kept = ("--checkpoint", "kept.json")

    assert "self-signed" in interlock(*VERIFY, *kept).err
    for key in (document["key"], "key.pub"):
        assert "self-signed" not in interlock(*VERIFY, *kept, "--key", key).err
    other = json.loads(interlock(*VERIFY, *kept, "--key", "00" * 32, "--json").out)
    assert "another key" in other["broken"]["what"]
    assert interlock(*VERIFY, "--key", "nonsense").code == 2


def test_the_key_is_private_and_in_no_export(interlock: Interlock, work: Path, places: Places) -> None:
    """It lies beside the ledger, 0600, and nothing that is written for others holds it."""
    interlock("ledger", "checkpoint")
    key = places.state / "ledger-signing.key"
    secret = key.read_bytes().splitlines()[1]
    for form in ("jsonl", "csv", "sqlite"):
        assert interlock("ledger", "export", "--format", form, "--out", form).code == 0

        assert secret not in (work / form).read_bytes()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert ops() == ["checkpoint"]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_with_its_proof_is_complete(interlock: Interlock, work: Path, form: str) -> None:
    """It ends where the checkpoint beside it says, and a cut one is found."""
    assert interlock("ledger", "export", "--format", form, "--out", "all", "--proof").code == 0
    found = json.loads(interlock(*VERIFY, "--export", "all", "--json").out)
    assert (found["verified"], found["end_known"], found["entries"]) == (True, True, 100)
    lines = (work / "all").read_bytes().splitlines(keepends=True)
    (work / "all").write_bytes(b"".join(lines[:-3]))

    broken = interlock(*VERIFY, "--export", "all")
    assert (broken.code, broken.out.split(":")[0]) == (1, "broken at 98")


def test_a_selection_says_what_it_does_not_prove(interlock: Interlock, work: Path) -> None:
    """Each line, not that all are there; and a proof for it is refused with a reason."""
    assert interlock("ledger", "export", "--session", "s1", "--out", "some").code == 0
    found = interlock(*VERIFY, "--export", "some")

    assert (found.code, found.out) == (0, "verified: 50 entries, each on its own\n")
    assert "a selection" in found.err
    for wrong in (("--proof", "--session", "s1"), ("--format", "sqlite", "--actor", "a")):
        assert interlock("ledger", "export", "--out", "x", *wrong).code == 2
    assert interlock("ledger", "export", "--proof").code == 2
    assert not (work / "x").exists()


def test_repair_leaves_a_sound_database_alone(interlock: Interlock) -> None:
    """Nothing is moved away because somebody typed it."""
    found = interlock("ledger", "repair")

    assert (found.code, found.out) == (0, "nothing to repair: the database is intact\n")
    assert ops() == []


def test_repair_keeps_a_damaged_database_aside_only_when_a_person_said_so(interlock: Interlock) -> None:
    """An unanswered question changes nothing; --yes begins a new chain that verifies."""
    database = here().database
    with closing(open_database(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = database.read_bytes()
    database.write_bytes(b"\xff" * 4_096 + whole[4_096:])

    asked = interlock("ledger", "repair")
    assert (asked.code, database.read_bytes()[:4]) == (2, b"\xff" * 4)
    done = interlock("ledger", "repair", "--yes")
    assert (done.code, done.out.startswith("a new ledger starts; the damaged one is kept as ")) == (0, True)
    kept = [file for file in database.parent.iterdir() if ".damaged-" in file.name]
    assert [file.read_bytes() for file in kept] == [b"\xff" * 4_096 + whole[4_096:]]
    with closing(open_to_read(database)) as connection:
        assert [one.op for one in LedgerReader(connection).after(0, limit=10)] == ["alarm", "gap"]
    assert interlock(*VERIFY).code == 0


def test_prune_removes_the_oldest_only_when_a_person_said_so(interlock: Interlock) -> None:
    """A dry run and an unanswered question change nothing; --yes does, and the rest verifies."""
    with closing(open_database(here().database)) as connection:
        connection.execute("UPDATE ledger SET ts = '2020-01-01T00:00:00.000Z' WHERE seq <= 40")
    prune = ("ledger", "prune", "--days", "7")

    assert interlock(*prune, "--dry-run").out == "would remove 40 entries, 1 to 40 (older than 7d)\n"
    assert interlock(*prune).code == 2
    assert ops() == []
    assert interlock(*prune, "--yes").out == "removed 40 entries, 1 to 40 (older than 7d)\n"
    assert ops() == ["retention"]
    found = interlock(*VERIFY)
    assert (found.code, "61 entries; 1 to 40 were removed by retention" in found.out) == (0, True)
    assert interlock(*prune, "--json").out.startswith('{"removed":0')
    for wrong in ((), ("--days", "x"), ("--size", "1"), ("--days", "1", "--size", "1GB")):
        assert interlock("ledger", "prune", *wrong).code == 2


@pytest.mark.req("M56", "M74")
def test_another_ledger_is_taken_in_once(interlock: Interlock, work: Path) -> None:
    """Verified first, recorded entry by entry, and a second time adds nothing."""
    (work / "ledger.jsonl").write_bytes(b"".join(chained(entry(n) for n in range(450))))
    first = interlock("ledger", "import", "ledger.jsonl")
    again = json.loads(interlock("ledger", "import", "ledger.jsonl", "--json").out)

    assert (first.code, first.out) == (0, "imported 450 entries; 0 were already there\n")
    assert again == {"format": "mentu", "added": 0, "known": 450, "problems": 0}
    assert ops() == ["imported"] * 450
    shown = json.loads(interlock("ledger", "show", "101", "--json").out)["body"]
    assert (shown["chain"], shown["line"], shown["entry"]["id"]) == ("verified", 1, "mem_00000000")
    assert interlock(*VERIFY).code == 0


@pytest.mark.req("M74")
def test_nothing_is_taken_from_a_broken_ledger_unless_asked_for(interlock: Interlock, work: Path) -> None:
    """The line is named; with --broken each entry from there on is marked."""
    lines = chained(entry(n) for n in range(5))
    lines[2] = lines[2].replace(b"capture", b"approve")
    (work / "ledger.jsonl").write_bytes(b"".join(lines))
    refused = interlock("ledger", "import", "ledger.jsonl")

    assert (refused.code, ops()) == (2, [])
    assert "line 3: E_CHAIN_BROKEN" in refused.err
    assert interlock("ledger", "import", "ledger.jsonl", "--broken").code == 1
    marks = [
        json.loads(interlock("ledger", "show", str(seq), "--json").out)["body"]["chain"]
        for seq in range(101, 106)
    ]
    assert marks == ["verified", "verified", "broken", "broken", "broken"]
    assert interlock("ledger", "import", "nowhere").code == 2


@pytest.mark.req("L05")
def test_an_import_that_is_cut_off_goes_on_where_it_was(interlock: Interlock, work: Path) -> None:
    """kill -9 of the daemon and of the command: what is there is valid, and nothing comes twice."""
    (work / "ledger.jsonl").write_bytes(b"".join(chained(entry(n) for n in range(3_000))))
    command = [sys.executable, "-c", "from interlock.cli.main import main; main()", "ledger", "import"]
    with subprocess.Popen([*command, "ledger.jsonl"], stdout=subprocess.DEVNULL) as importing:
        while not ops():
            assert importing.poll() is None or ops()
        with suppress(OSError, ValueError):
            os.kill(int(places_of(here()).lock.read_text()), signal.SIGKILL)
        importing.kill()
    before = len(ops())
    done = json.loads(interlock("ledger", "import", "ledger.jsonl", "--json").out)

    assert (done["added"], done["known"]) == (3_000 - before, before)
    assert ops() == ["imported"] * 3_000
    assert interlock(*VERIFY).code == 0


def test_show_tells_what_vouches_for_an_entry(interlock: Interlock) -> None:
    """Its own hash, the ends of the chain, and the last checkpoint."""
    assert "no checkpoint was made yet" in interlock("ledger", "show", "7").out
    interlock("ledger", "checkpoint")
    shown = interlock("ledger", "show", "7").out

    assert "the stored content still gives this hash" in shown
    assert "covered by the checkpoint of" in shown
    assert "after the last checkpoint (entry 100" in interlock("ledger", "show", "101").out
    document = json.loads(interlock("ledger", "show", "7", "--json").out)
    assert (document["holds"], document["chain"]["first"], document["chain"]["last"]) == (True, 1, 101)


@pytest.mark.req("L10")
def test_the_ledger_and_its_key_are_for_their_owner_only(interlock: Interlock, places: Places) -> None:
    """0600 in a 0700 folder, all of them."""
    interlock("ledger", "checkpoint")

    assert stat.S_IMODE(places.state.stat().st_mode) == 0o700
    kept = [file for file in places.state.iterdir() if file.name.startswith(("interlock.db", "ledger-"))]
    assert len(kept) >= 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept} == {0o600}
