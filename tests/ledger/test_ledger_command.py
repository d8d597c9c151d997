"""Laws of `interlock ledger`."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.records import record
from typer.testing import CliRunner, Result

from interlock.cli.app import make_app
from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.ledger.export import payload_of
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Type a command."""

    def typed(*arguments: str) -> Result:
        result = CliRunner().invoke(make_app(), ["ledger", *arguments])
        if isinstance(result.exception, InterlockError):
            raise result.exception
        return result

    return typed


@pytest.fixture
def filled(home: Path) -> Path:
    """A home whose ledger has ten decisions and one with text that would like to change the terminal."""
    path = here().database
    with closing(open_database(path)) as connection:
        writer = LedgerWriter(connection)
        record(writer, *range(1, 11))
        writer.append("note", "agent:\x1b[2Jevil\u202e", "/w", {"text": "\x1b]0;title\x07 é"})
        writer.flush()
    return path


@pytest.mark.usefixtures("filled")
def test_list_shows_the_newest_first_and_where_the_next_page_begins(run: Run) -> None:
    """A header, a row per entry, and the way on."""
    result = run("list", "--session", "s0", "--limit", "2")

    header, *rows = result.stdout.splitlines()
    assert header.split() == ["SEQ", "TIME", "ACTOR", "SESSION", "OP", "EVENT", "TOOL", "DECISION"]
    assert [row.split()[0] for row in rows] == ["10", "8"]
    assert "--before 8" in result.stderr
    assert [
        json.loads(x)["seq"] for x in run("list", "--decision", "deny", "--json").stdout.splitlines()
    ] == [9, 6, 3]
    assert run("list", "--tool", "Nothing").stdout == "no entries\n"
    assert run("list", "--actor", "agent:main", "--before", "2").stdout.splitlines()[1].startswith("1 ")


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("command", [("list",), ("tail",), ("show", "11"), ("show", "11", "--json")])
def test_nothing_recorded_can_change_the_terminal(run: Run, command: tuple[str, ...]) -> None:
    """Escapes and invisible characters are written out."""
    text = run(*command).stdout

    assert "evil" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)


@pytest.mark.usefixtures("filled")
def test_tail_shows_the_last_in_order(run: Run) -> None:
    """Oldest first, as many as asked for."""
    assert [line.split()[0] for line in run("tail", "-n", "3").stdout.splitlines()] == ["9", "10", "11"]
    assert [json.loads(x)["seq"] for x in run("tail", "-n", "1", "--json").stdout.splitlines()] == [11]
    assert run("tail", "-n", "0").stdout == ""


@pytest.mark.deep
def test_tail_follows_what_is_recorded_next(filled: Path) -> None:
    """A running tail prints an entry that another process records."""
    code = "from interlock.cli.app import make_app; make_app()()"
    command = [sys.executable, "-c", code, "ledger", "tail", "-n", "1", "--follow"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        with closing(open_database(filled, busy_seconds=10)) as connection:
            record(LedgerWriter(connection), 12)
        second = process.stdout.readline()
        process.kill()

    assert (first.split()[0], second.split()[0]) == ("11", "12")


@pytest.mark.usefixtures("filled")
def test_show_prints_one_entry_whole(run: Run) -> None:
    """By number or id, for people and for scripts."""
    document = json.loads(run("show", "3", "--json").stdout)
    text = run("show", document["id"]).stdout
    whole = run("show", "3", "--verbose").stdout

    assert document["body"]["decision"] == "deny"
    assert document["hash"] in text
    assert '"decision": "deny"' in whole
    assert text.startswith("Denied")
    with pytest.raises(InterlockError, match="no entry `99`"):
        run("show", "99")


@pytest.mark.req("L02")
@pytest.mark.usefixtures("filled")
def test_verify_counts_and_says_what_it_cannot_know(run: Run) -> None:
    """The end of a chain is not proven by the chain."""
    result = run("verify")
    document = json.loads(run("verify", "--json").stdout)

    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "verified: 11 entries")
    assert "Only a checkpoint kept elsewhere" in result.stderr
    assert document["head"]["hash"] in result.stdout
    assert (document["verified"], document["entries"], document["end_known"]) == (True, 11, False)


@pytest.mark.req("L01")
def test_verify_names_the_first_bad_entry_and_fails(run: Run, filled: Path) -> None:
    """Exit 1, and the same in JSON."""
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("UPDATE ledger SET actor = 'human:me' WHERE seq IN (4, 7)")
        connection.commit()

    result = run("verify")
    document = json.loads(run("verify", "--json").stdout)

    assert (result.exit_code, result.stdout) == (1, "broken at 4: column: actor differs from the payload\n")
    assert document["broken"] == {"seq": 4, "what": "column: actor differs from the payload"}
    assert (document["verified"], document["entries"]) == (False, 3)


@pytest.mark.usefixtures("filled")
def test_export_writes_a_private_file_that_is_whole_or_not_there(run: Run, tmp_path: Path) -> None:
    """The same lines as on the output, in a file for its owner only, with nothing left beside it."""
    out = tmp_path / "out" / "ledger.jsonl"
    out.parent.mkdir()

    assert run("export", "--format", "jsonl", "--out", str(out)).exit_code == 0
    assert run("export").stdout_bytes == out.read_bytes()
    assert [json.loads(payload_of(line))["seq"] for line in out.read_bytes().splitlines()] == list(
        range(1, 12)
    )
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.req("L09")
@pytest.mark.usefixtures("filled")
def test_export_as_a_database_is_a_backup_that_verifies(run: Run, tmp_path: Path) -> None:
    """A copy made by the engine holds the whole chain in one file."""
    out = tmp_path / "copy.db"

    assert run("export", "--format", "sqlite", "--out", str(out)).exit_code == 0
    with closing(sqlite3.connect(out)) as copy:
        assert verify(copy).entries == 11


@pytest.mark.usefixtures("filled")
def test_export_to_nowhere_is_explained(run: Run, tmp_path: Path) -> None:
    """A missing folder and a database without a file are the typist's to mend."""
    with pytest.raises(InterlockError, match="there is no folder"):
        run("export", "--out", str(tmp_path / "none" / "x.jsonl"))
    with pytest.raises(InterlockError, match="--out"):
        run("export", "--format", "sqlite")
    assert run("export", "--format", "xml").exit_code == 2


@pytest.mark.parametrize("command", [("tail",), ("list",), ("show", "1"), ("verify",), ("export",)])
def test_without_a_ledger_every_command_says_so_and_makes_none(run: Run, command: tuple[str, ...]) -> None:
    """Looking creates nothing."""
    with pytest.raises(InterlockError, match="run `interlock setup`"):
        run(*command)
    assert not here().database.parent.exists()
