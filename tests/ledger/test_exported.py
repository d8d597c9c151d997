"""Laws of exported files: verified alone, whatever was in the entries, and whoever changed them."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.ledger.records import record
from tests.ledger.signed import say_removal, sign_end

from interlock.errors import LedgerError
from interlock.ledger.ends import Checkpoint
from interlock.ledger.export import ALL, Form, Selection, export, verify_file
from interlock.ledger.retention import remove
from interlock.ledger.verify import Verification
from interlock.ledger.writer import LedgerWriter
from interlock.store.files import back_up

Check = Callable[..., tuple[Verification, bool]]
FORMS = pytest.mark.parametrize("form", list(Form))
NASTY = [
    "=1+1",
    "+2",
    "-3",
    "@x",
    "\tcell",
    "\rcell",
    "a\r\nb",
    'q"u,o',
    "'=x",
    "\x00\x1f\x7f\u2028\u202eé",
    "",
]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Where the signing key is."""
    return tmp_path / "signing.key"


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Verify a content as a file."""

    def verified(content: bytes, *kept: Checkpoint) -> tuple[Verification, bool]:
        path = tmp_path / "exported"
        path.write_bytes(content)
        return verify_file(path, None, kept, ())

    return verified


def written(connection: sqlite3.Connection, form: Form, wanted: Selection = ALL, upto: int = 10**9) -> bytes:
    """The whole file."""
    return b"".join(export(connection, form, wanted, upto=upto))


@FORMS
def test_a_whole_export_is_verified_alone(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check, form: Form
) -> None:
    """Every entry, from the first to the last, in a file that is not a selection."""
    entries = record(writer, *range(600))

    found, selection = check(written(database, form))
    assert (found.broken, found.entries, selection) == (None, 600, False)
    assert found.head == (600, entries[-1].hash)


@pytest.mark.req("L03")
@FORMS
@pytest.mark.parametrize("harm", ["delete", "swap", "change", "truncate"])
def test_a_changed_export_is_found(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check, form: Form, harm: str
) -> None:
    """The first bad entry is named."""
    record(writer, *range(10))
    lines = written(database, form).splitlines(keepends=True)
    at = 5 if form is Form.CSV else 4  # a table has a header; this is entry 5
    if harm == "delete":
        del lines[at]
    elif harm == "swap":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    elif harm == "change":
        lines[at] = lines[at].replace(b"number", b"Number")
    else:
        lines[at:] = [lines[at][:-30]]

    broken = check(b"".join(lines))[0].broken
    assert broken is not None
    assert broken.seq in {5, 6}


@FORMS
def test_a_cut_end_of_an_export_is_found_by_its_checkpoint(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check, key: Path, form: Form
) -> None:
    """An export up to what was signed ends exactly there."""
    record(writer, *range(10))
    kept = sign_end(database, writer, key)
    content = written(database, form, upto=kept.seq)
    lines = content.splitlines(keepends=True)

    assert check(content, kept)[0].broken is None
    assert check(content, kept)[0].head.seq == kept.seq
    cut = check(b"".join(lines[:-2]), kept)[0].broken
    assert cut is not None
    assert cut.seq == 9


@pytest.mark.req("L07")
@FORMS
def test_an_export_after_a_removal_explains_its_own_beginning(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check, key: Path, form: Form
) -> None:
    """The signed entry about it is in the file; without it the beginning is a fault."""
    record(writer, *range(100))
    for _ in remove(database, *say_removal(database, writer, 50, key)):
        pass
    record(writer, 1)
    content = written(database, form)

    assert check(content)[0].broken is None
    broken = check(b"".join(content.splitlines(keepends=True)[:-2]))[0].broken
    assert broken is not None
    assert broken.seq == 51


@FORMS
def test_anything_can_be_in_an_entry(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check, form: Form
) -> None:
    """Line ends, quotes, controls and what begins like a formula survive and verify."""
    for text in NASTY:
        writer.append("decision", text, text, {"session_id": text, "tool": text, "x": text})
    writer.flush()

    found, _ = check(written(database, form))
    assert (found.broken, found.entries) == (None, len(NASTY))


def test_no_cell_begins_like_a_formula_and_the_payload_is_never_touched(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """A quote is put before such a cell; the record itself begins with a brace."""
    for text in NASTY:
        writer.append("decision", text, "", {"x": text})
    entries = writer.flush()
    rows = list(csv.reader(io.StringIO(written(database, Form.CSV).decode(), newline="")))

    assert rows[0][10:] == ["payload", "prev_hash", "hash"]
    assert [row[10].encode() for row in rows[1:]] == [entry.payload for entry in entries]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows for cell in row)
    assert [row[4].removeprefix("'") for row in rows[1:5]] == NASTY[:4]


def test_a_cell_that_says_something_else_than_the_record_is_found(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check
) -> None:
    """What people read in the table is what was hashed."""
    record(writer, 1, 2)
    forged = written(database, Form.CSV).replace(b'"Bash","allow"', b'"Read","allow"', 1)

    broken = check(forged)[0].broken
    assert broken is not None
    assert "`tool` differs" in broken.what


@FORMS
def test_a_selection_says_so_and_each_entry_answers_for_itself(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check, form: Form
) -> None:
    """Gaps are not fault in it, a changed entry is; and a whole file without a line is not a selection."""
    record(writer, *range(10))
    content = written(database, form, Selection(decision="deny"))

    found, selection = check(content)
    assert (found.broken, found.entries, selection) == (None, 4, True)
    broken = check(content.replace(b"number", b"Number", 1))[0].broken
    assert broken is not None
    assert "hash" in broken.what


@pytest.mark.parametrize(
    ("wanted", "seqs"),
    [
        (Selection(session="s1"), [2, 4]),
        (Selection(actor="nobody"), []),
        (Selection(tool="Bash", since="2023-11-14T22:13:20.250Z"), [1, 2, 3, 4]),
        (Selection(until="2023-11-14T22:13:20.250Z"), []),
    ],
)
def test_a_selection_holds_what_was_asked_for(
    database: sqlite3.Connection, writer: LedgerWriter, wanted: Selection, seqs: list[int]
) -> None:
    """By session, actor, tool and time."""
    record(writer, 0, 1, 2, 3)
    first, *lines = written(database, Form.JSONL, wanted).splitlines()

    assert json.loads(first)["export"] == "selection"
    assert [json.loads(line)["seq"] for line in lines] == seqs


@pytest.mark.req("L09")
def test_a_copied_database_is_verified_like_the_ledger(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter, check: Check, tmp_path: Path
) -> None:
    """Its signatures and columns too."""
    record(writer, *range(10))
    back_up(path, tmp_path / "copy.db")

    assert verify_file(tmp_path / "copy.db", None, (), ())[0].entries == 10
    database.execute("UPDATE ledger SET tool = 'Read' WHERE seq = 4")
    back_up(path, tmp_path / "copy.db")
    broken = verify_file(tmp_path / "copy.db", None, (), ())[0].broken
    assert broken is not None
    assert broken.seq == 4


def test_a_line_that_another_reader_would_read_otherwise_is_no_entry(
    database: sqlite3.Connection, writer: LedgerWriter, check: Check
) -> None:
    """Nothing may stand between the record and its hashes."""
    record(writer, 1)
    line = written(database, Form.JSONL)

    for forged in (line.replace(b',"prev_hash"', b' ,"prev_hash"'), line.replace(b'"}\n', b'","x":1}\n')):
        assert check(forged)[0].broken is not None


@pytest.mark.parametrize("content", [b"", b"hello\nworld\n", b'"seq"\n', b"\x80"])
def test_what_is_no_export_is_said_in_one_sentence(check: Check, content: bytes) -> None:
    """Neither a crash nor a verified file."""
    with pytest.raises(LedgerError, match="not an export"):
        check(content)


def test_large_cells_are_read(database: sqlite3.Connection, writer: LedgerWriter, check: Check) -> None:
    """Beyond what the library reads by default."""
    writer.append("decision", "a", "", {"x": "y" * (csv.field_size_limit() % sys.maxsize + 200_000)})
    writer.flush()

    assert check(written(database, Form.CSV))[0].broken is None


@pytest.mark.deep
def test_the_verifier_in_the_documents_agrees(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path, tmp_path: Path
) -> None:
    """What an outsider can write from the page alone finds the same."""
    page = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text("utf-8")
    program = tmp_path / "verify_export.py"
    program.write_text(page.partition('title="verify_export.py"\n')[2].partition("```")[0])
    record(writer, *range(20))
    kept = sign_end(database, writer, key)
    exported, checkpoint = tmp_path / "all.jsonl", tmp_path / "all.jsonl.checkpoint"
    checkpoint.write_text(json.dumps(kept.document))

    def run(content: bytes) -> subprocess.CompletedProcess[str]:
        exported.write_bytes(content)
        command = [sys.executable, "-X", "dev", "-W", "ignore", str(program), str(exported), str(checkpoint)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    whole = written(database, Form.JSONL, upto=kept.seq)
    held = run(whole)
    assert (held.returncode, held.stdout.splitlines()[-1]) == (
        0,
        f"ends where the checkpoint says; signed by {kept.key}",
    )
    assert run(whole.replace(b'"deny"', b'"allow"', 1)).stderr == "broken at 1\n"
    assert run(b"".join(whole.splitlines(keepends=True)[:-1])).stderr == "not the end that was signed\n"
