"""Laws of the page Work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home
from tests.features.fleet.crew import Crew
from tests.web.pages.dashboard import Dashboard, words

from interlock.features.commitments.page import ReadCommitments
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read

Operate = Callable[..., int]


@pytest.fixture
def crew(place: Home) -> Crew:
    """Work in the store of this home, now."""
    return Crew(database=place.places.database, now=time.time())


def committed(operate: Operate, name: str, body: str, **more: Any) -> None:
    """A commitment that was made."""
    operate("commit", name=name, body=body, source="mem_1", **more)


@pytest.fixture
def operate(place: Home) -> Iterator[Operate]:
    """Record an operation under a name at once."""
    with closing(open_database(place.places.database)) as connection:
        writer = LedgerWriter(connection)

        def recorded(op: str, *, name: str | None = None, actor: str = "human:ada", **body: Any) -> int:
            writer.append(op, actor, "/w/app", body, name=name)
            writer.flush()
            return writer.head.seq

        yield recorded


def test_tasks_lead_to_efforts_and_efforts_to_sessions(seen: Dashboard, crew: Crew, tmp_path: Path) -> None:
    """The list says what is worked on; a task's own page has phases and windows, each with its session."""
    session = crew.effort("u-1", "implement", phase="1: Plan", folder=str(tmp_path))
    with crew.work() as work:
        work.sessions.beat(session.id, "t-1")
        work.sessions.set_usage(session.id, 0.5)
    crew.effort("u-2", "review", folder=str(tmp_path))
    listed = seen.get("/work").text
    task = seen.get("/tasks/1").text

    assert 'href="/tasks/1"' in listed
    assert f"{tmp_path} active e2 review e1 implement · 1: Plan 2" in words(listed)
    assert words(task).index("e2 · review") < words(task).index("e1 · implement")
    assert "Phases 1: Plan" in words(task)
    assert "open 1 50%" in words(task)
    assert 'href="/session?id=u-1"' in task


def test_what_is_owed_stands_with_its_state_and_owner(seen: Dashboard, operate: Operate) -> None:
    """What is over only for whoever asks for that state."""
    operate("capture", name="mem_1", body="seen")
    committed(operate, "cmt_1", "mend the fence")
    committed(operate, "cmt_2", "paint the door")
    operate("claim", actor="agent:main", commitment="cmt_1", session_id="s-7")
    operate("close", commitment="cmt_2", evidence="mem_1")
    page = seen.get("/work").text

    assert "cmt_1 claimed mend the fence agent:main" in words(page)
    assert 'href="/session?id=s-7"' in page
    assert "paint the door" not in page
    assert "closed 1" in words(page)
    assert "cmt_2 closed paint the door" in seen.seen("/work", state="closed")
    assert "No cancelled commitments." in seen.seen("/work", state="cancelled")
    assert "mend the fence" in seen.seen("/work", state="no-state")


def test_what_is_recorded_later_is_followed(place: Home, operate: Operate) -> None:
    """Nothing is read twice, and another ledger in the same place is read anew."""
    found = ReadCommitments()

    def states() -> list[tuple[str, str]]:
        with closing(open_to_read(place.places.database)) as connection:
            return [(one.commitment.id, str(one.commitment.state)) for one in found.list_owed(connection)]

    operate("capture", name="mem_1", body="seen")
    committed(operate, "cmt_1", "x")
    assert states() == [("cmt_1", "open")]
    operate("claim", commitment="cmt_1")
    assert states() == [("cmt_1", "claimed")]
    with closing(open_database(place.places.database)) as connection:
        connection.execute("DELETE FROM ledger")
    assert states() == []


def test_a_new_home_has_no_work(seen: Dashboard) -> None:
    """Nothing recorded is a sentence, not a failure."""
    shown = seen.seen("/work")

    assert "No tasks yet." in shown
    assert "No ongoing commitments." in shown


@pytest.mark.parametrize("name", ["9", "x", "-1", "9" * 40, "%00"])
def test_a_task_that_is_not_there_is_a_sentence(seen: Dashboard, name: str) -> None:
    """Whatever stands in the address."""
    answer = seen.get(f"/tasks/{name}")

    assert answer.status_code == 404
    assert 'role="alert"' in answer.text


def test_hostile_words_of_work_stay_words(
    seen: Dashboard, crew: Crew, operate: Operate, tmp_path: Path
) -> None:
    """Titles, skills and commitments come from agents."""
    bad = "<script>alert(1)</script>\u202e"
    operate("capture", name="mem_1", body=bad)
    committed(operate, "cmt_1", bad)
    crew.effort(bad, bad, phase=f"1: {bad}", folder=str(tmp_path))
    for path in ("/work", "/tasks/1"):
        page = seen.get(path).text
        assert "<script>alert" not in page
        assert "\u202e" not in page
        assert "&lt;script&gt;" in page
