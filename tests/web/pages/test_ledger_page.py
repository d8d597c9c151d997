"""Laws of the page Ledger."""

from __future__ import annotations

import json
import re
from contextlib import closing

import pytest
from tests.daemon.home import Home
from tests.web.pages.calls import before, hook
from tests.web.pages.conftest import Record
from tests.web.pages.dashboard import Dashboard, dashboard

from interlock.ledger.ends import read_checkpoint
from interlock.ledger.verify import verify
from interlock.store.database import open_database, open_to_read


def entries(page: str) -> list[int]:
    """The entries a page lists, in its order."""
    return [int(seq) for seq in re.findall(r'href="/ledger/(\d+)"', page)]


def test_entries_are_listed_newest_first_a_page_at_a_time(seen: Dashboard, record: Record) -> None:
    """Following the link to older entries leads past every entry once."""
    for number in range(120):
        record(**before(f"make step{number}"))
    found, path = [], "/ledger"
    for _ in range(5):
        page = seen.get(path).text
        found += entries(page)
        link = re.search(r'href="(/ledger\?[^"]+)">Older', page)
        if link is None:
            break
        path = link[1]

    assert found == list(range(120, 0, -1))


def test_words_and_filters_find_the_entries_that_fit(seen: Dashboard, record: Record) -> None:
    """Each filter alone and with words gives exactly what fits, and the word is marked."""
    record(**before("git push origin main", "deny", decided_by="no-push", reason="ask first"))
    record(**before("git status"))
    record(**{**before("x"), "tool": "Read", "tool_input": {"file_path": "src/app.py"}})
    record("gap", lost=3, why="the disk was full")

    assert entries(seen.get("/ledger", q="push").text) == [1]
    assert "<mark>push</mark>" in seen.get("/ledger", q="push").text
    assert entries(seen.get("/ledger", decision="deny").text) == [1]
    assert entries(seen.get("/ledger", rule="no-push").text) == [1]
    assert entries(seen.get("/ledger", tool="Read").text) == [3]
    assert entries(seen.get("/ledger", op="gap").text) == [4]
    assert entries(seen.get("/ledger", q="git", tool="Bash", since="1h").text) == [2, 1]
    assert entries(seen.get("/ledger", session="another").text) == []
    assert "No entries match." in seen.seen("/ledger", q="nowhere")


def test_words_that_cannot_be_searched_for_are_explained_on_the_page(seen: Dashboard) -> None:
    """The sentence is that of the command line, and the form keeps what was typed."""
    page = seen.get("/ledger", q="***")

    assert page.status_code == 200
    assert "has no letter or digit to search for" in page.text
    assert 'value="***"' in page.text


def test_an_entry_is_shown_whole_with_its_proof(seen: Dashboard, record: Record, place: Home) -> None:
    """Hash, what it is made from, and whether it holds, by seq and by id."""
    seq = record(**before("git push", "deny", trace=[hook("no-push", "deny")]))
    with closing(open_to_read(place.places.database)) as ledger:
        name, hashed = ledger.execute("SELECT id, hash FROM ledger WHERE seq = ?", (seq,)).fetchone()
    shown = seen.seen(f"/ledger/{seq}")

    assert hashed.hex() in shown
    assert "Proof holds" in shown
    assert "the stored content still gives this hash" in shown
    assert "no checkpoint was made yet" in shown
    assert '"command": "git push"' in shown
    assert seen.seen(f"/ledger/{name}") == shown


def test_an_entry_that_was_changed_says_so(seen: Dashboard, record: Record, place: Home) -> None:
    """Whoever looks at one entry sees that its hash is not that of its bytes."""
    seq = record(**before("git push"))
    with closing(open_database(place.places.database)) as other:
        other.execute("UPDATE ledger SET payload = CAST(replace(payload, 'push', 'pull') AS BLOB)")

    shown = seen.seen(f"/ledger/{seq}")
    assert "Proof broken" in shown
    assert "NO: the stored content gives another hash" in shown


def test_an_entry_that_is_not_there_is_not_found(seen: Dashboard) -> None:
    """A sentence with the next step, and the status that says it."""
    answer = seen.get("/ledger/77")

    assert answer.status_code == 404
    assert "There is no entry <code>77</code>" in answer.text


def test_hostile_texts_stay_texts(seen: Dashboard, record: Record) -> None:
    """Markup and characters that cannot be seen are written out, in lists, searches and entries."""
    seq = record(**before("echo <script>alert(1)</script> \u202e hidden"))
    for page in (seen.get("/ledger"), seen.get("/ledger", q="alert"), seen.get(f"/ledger/{seq}")):
        assert "<script>alert" not in page.text
        assert "\u202e" not in page.text
    assert "&lt;U+202E&gt;" in seen.get("/ledger").text


@pytest.mark.deep
def test_verifying_reads_the_whole_chain_and_says_what_it_cannot_know(
    seen: Dashboard, record: Record
) -> None:
    """The verdict of the command line, on a page."""
    for number in range(3):
        record(**before(f"make {number}"))
    answer = seen.post("/ledger/verify", on="/ledger")

    assert answer.status_code == 200
    assert "verified: 3 entries" in answer.text
    assert "Only a checkpoint kept elsewhere" in answer.text


@pytest.mark.deep
def test_verifying_names_the_entry_where_the_chain_breaks(
    seen: Dashboard, record: Record, place: Home
) -> None:
    """A changed entry is found though nobody looked at it."""
    for number in range(3):
        record(**before(f"make {number}"))
    with closing(open_database(place.places.database)) as other:
        other.execute("UPDATE ledger SET payload = CAST(replace(payload, 'make 1', 'make 9') AS BLOB)")
    answer = seen.post("/ledger/verify", on="/ledger")

    assert "The chain is broken" in answer.text
    assert "broken at 2: hash" in answer.text


@pytest.mark.deep
def test_a_checkpoint_is_made_by_the_daemon_and_downloaded(place: Home) -> None:
    """The file proves the chain by which it was made, and that it was made is recorded."""
    place.start()
    with dashboard(place.places) as seen:
        answer = seen.post("/ledger/checkpoint", on="/ledger")
        file = place.folder / "kept.json"
        file.write_text(answer.text)

    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert json.loads(answer.text)["seq"] == read_checkpoint(file).seq
    with closing(open_to_read(place.places.database)) as ledger:
        assert verify(ledger, checkpoints=[read_checkpoint(file)]).broken is None
        assert ledger.execute("SELECT op FROM ledger ORDER BY seq DESC").fetchone() == ("checkpoint",)


@pytest.mark.deep
def test_nothing_is_checked_or_signed_by_a_mere_link(seen: Dashboard) -> None:
    """What does something takes a form with its token."""
    assert seen.get("/ledger/verify").status_code == 404
    assert seen.get("/ledger/checkpoint").status_code == 404
    assert seen.client.post("/ledger/verify", data={"csrf": "wrong"}).status_code == 403
