"""Laws of the search index."""

from __future__ import annotations

import random
import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.search.decisions import ACTORS, DECISIONS, RULES, TOOLS, WORDS, fill

from interlock.errors import LedgerError, StoreError
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.search import index as index_module
from interlock.search.index import SearchIndex, index_beside, open_index
from interlock.search.question import Question, parse_question, texts_of
from interlock.search.search import Finder, catch_up, fits, search


def brute(database: sqlite3.Connection, wanted: Filter, question: Question | None) -> list[int]:
    """The seqs that fit, by reading everything."""
    found = LedgerReader(database).page(limit=100_000)
    return [
        entry.seq
        for entry in found
        if fits(entry, wanted) and (question is None or _has(list(texts_of(entry.body)), question))
    ]


def _has(texts: list[str], question: Question) -> bool:
    terms = [Question(terms=(term,)) for term in question.terms]
    return all(any(one.spans(text) for text in texts) for one in terms)


def seqs(index: SearchIndex, database: sqlite3.Connection, wanted: Filter, text: str | None) -> list[int]:
    question = parse_question(text) if text else None
    finder = Finder(index, LedgerReader(database))
    return [entry.seq for entry in finder.page(wanted, question, limit=100_000)]


def test_the_index_finds_what_reading_everything_finds(
    index: SearchIndex, database: sqlite3.Connection, writer: LedgerWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any mixture of filters and words gives exactly what fits, newest first, over several parts."""
    monkeypatch.setattr(index_module, "PART", 100)
    fill(writer, 350)
    catch_up(index)
    chosen = random.Random(2)
    found = 0
    for _ in range(150):
        wanted = Filter(
            session=chosen.choice((None, None, "s-1")),
            actor=chosen.choice((None, *ACTORS)),
            tool=chosen.choice((None, *TOOLS)),
            decision=chosen.choice((None, *DECISIONS)),
            rule=chosen.choice((None, None, *RULES)),
            op=chosen.choice((None, None, "note")),
        )
        text = chosen.choice((None, *WORDS, "src/main", '"this would"', "cafe*", "BUILD deploy"))
        question = parse_question(text) if text else None
        given = seqs(index, database, wanted, text)
        if text and "caf" in text:
            continue  # the index also finds it without the accent, which the plain way does not
        assert given == brute(database, wanted, question), (wanted, text)
        found += len(given)

    assert found > 500  # or the law would hold of nothing


def test_pages_follow_each_other_without_a_gap(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """The next page begins before the last seq of the one before."""
    fill(writer, 120)
    wanted, question = Filter(tool="Bash"), parse_question("b*")
    whole = [entry.seq for entry in search(path, database, wanted, question, limit=1_000)]
    paged: list[int] = []
    while page := search(path, database, wanted, question, limit=7, before=paged[-1] if paged else None):
        paged += [entry.seq for entry in page]

    assert len(whole) > 14
    assert paged == whole


def test_accents_and_case_do_not_hide_an_entry(
    index: SearchIndex, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """A person who types plain letters finds the word that has accents."""
    writer.append("note", "agent:main", "/w", {"text": "Le CAFÉ est là"})
    writer.flush()
    catch_up(index)

    assert seqs(index, database, Filter(), "cafe la") == [1]


def test_an_index_that_was_deleted_or_damaged_is_made_anew(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """Nothing is lost with the file: not by removing it, by garbage in it, nor by another version of it."""
    fill(writer, 30)
    whole = [entry.seq for entry in search(path, database, Filter(tool="Bash"))]
    file = index_beside(path)

    assert whole
    file.unlink()
    assert [entry.seq for entry in search(path, database, Filter(tool="Bash"))] == whole
    for ending in ("-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)
    file.write_bytes(b"no database at all" * 1_000)
    assert [entry.seq for entry in search(path, database, Filter(tool="Bash"))] == whole
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA user_version = 99")
    assert [entry.seq for entry in search(path, database, Filter(tool="Bash"))] == whole


def test_a_page_that_was_overwritten_is_noticed_and_mended(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """Damage that shows only when the index is read makes it anew as well."""
    fill(writer, 400)
    whole = [entry.seq for entry in search(path, database, Filter(tool="Bash"), limit=1_000)]
    file = index_beside(path)
    content = bytearray(file.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    file.write_bytes(content)

    assert [entry.seq for entry in search(path, database, Filter(tool="Bash"), limit=1_000)] == whole


@pytest.mark.req("L10")
def test_the_index_is_for_its_owner_only(path: Path, index: SearchIndex, writer: LedgerWriter) -> None:
    """What it holds are the words of the ledger, so it is as private."""
    fill(writer, 5)
    catch_up(index)
    files = list(path.parent.glob("search.db*"))

    assert len(files) >= 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_link_in_the_place_of_the_index_is_refused(
    path: Path, database: sqlite3.Connection, tmp_path: Path
) -> None:
    """Whoever made it would choose what is written over."""
    target = tmp_path / "precious"
    target.write_text("keep")
    index_beside(path).symlink_to(target)

    with pytest.raises(StoreError, match="link"):
        search(path, database, Filter(tool="Bash"))
    assert target.read_text() == "keep"


def test_a_rewritten_ledger_makes_the_index_begin_anew(
    path: Path, index: SearchIndex, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """An index of another history would point at entries that say something else."""
    fill(writer, 20)
    catch_up(index)
    database.execute("DELETE FROM ledger")
    anew = LedgerWriter(database)
    anew.append("note", "agent:main", "/w", {"text": "unheard"})
    anew.flush()

    assert index.fill(10) == 1
    assert seqs(index, database, Filter(), "unheard") == [anew.head.seq]
    assert seqs(index, database, Filter(tool="Bash"), None) == []


def test_what_retention_removed_leaves_the_index(
    path: Path,
    index: SearchIndex,
    database: sqlite3.Connection,
    writer: LedgerWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whole parts go, and what is left of a part is not found any more."""
    monkeypatch.setattr(index_module, "PART", 10)
    fill(writer, 35)
    catch_up(index)
    before = seqs(index, database, Filter(op="decision"), None)
    database.execute("DELETE FROM ledger WHERE seq < 25")
    fill(writer, 1, seed=9)
    catch_up(index)

    assert seqs(index, database, Filter(op="decision"), None)[-1] >= 25
    assert before[-1] < 25
    with closing(open_index(index_beside(path))) as connection:
        parts = {number for (number,) in connection.execute("SELECT number FROM parts")}
    assert parts == {2, 3}


def test_times_are_believed_one_by_one(
    path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that jumped back hides nothing from a search by time."""
    now = [1_700_000_000.0]
    writer = LedgerWriter(database, clock=lambda: now[0])
    for number in range(2_000):
        now[0] = 1_700_000_000.0 + (number if number < 1_200 else number - 1_000)
        writer.append("note", "agent:main", "/w", {"text": f"n{number}"})
    writer.flush()
    since, until = "2023-11-14T22:18:00.000Z", "2023-11-14T22:19:00.000Z"  # 280 to 340 seconds after
    expected = [seq for seq in range(2_000, 0, -1) if 280 <= _second(seq - 1) < 340]

    found = search(path, database, Filter(since=since, until=until), limit=1_000)
    assert [entry.seq for entry in found] == expected
    worded = search(path, database, Filter(since=since), parse_question("n300"), limit=1_000)
    assert [entry.seq for entry in worded] == [301]
    assert search(path, database, Filter(since="2030-01-01"), limit=9) == []


def _second(number: int) -> int:
    return number if number < 1_200 else number - 1_000


def test_two_that_fill_at_once_take_every_entry_once(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """The daemon and a command may both be at it."""
    fill(writer, 600)

    def work() -> None:
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as ledger,
            closing(open_index(index_beside(path))) as connection,
        ):
            index = SearchIndex(connection, ledger)
            while index.fill(20):
                pass

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = search(path, database, Filter(op="decision"), limit=1_000)
    assert [entry.seq for entry in found] == brute(database, Filter(op="decision"), None)


def test_an_index_can_be_opened_by_several_at_once(tmp_path: Path) -> None:
    """None of them finds the file half made or locked."""
    for turn in range(10):
        place = tmp_path / f"{turn}.db"
        start = threading.Barrier(4)

        def work(place: Path = place, start: threading.Barrier = start) -> None:
            start.wait()
            open_index(place).close()

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(work) for _ in range(4)]:
                done.result()

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{turn}.db" for turn in range(10))


def test_a_lag_is_counted(index: SearchIndex, writer: LedgerWriter) -> None:
    """How far the index is behind is known without filling it."""
    assert index.lag == 0
    fill(writer, 25)
    assert index.lag == 25
    index.fill(10)
    assert index.lag == 15


def test_a_folder_that_cannot_be_written_to_is_explained(path: Path, database: sqlite3.Connection) -> None:
    """One sentence with the file and the next step."""
    index_beside(path).mkdir()

    with pytest.raises(StoreError, match="not a regular file"):
        search(path, database, Filter(tool="Bash"))
    with pytest.raises(LedgerError, match="check the disk"):
        open_index(path.parent / "missing" / "search.db")
