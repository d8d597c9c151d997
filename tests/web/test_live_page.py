"""Laws of the page Live: decisions as they happen."""

from __future__ import annotations

import re

import pytest
from tests.daemon.approvers import ask
from tests.daemon.home import Home, bash
from tests.web.browser import Browser

pytestmark = pytest.mark.deep


@pytest.mark.req("M45", "M85")
def test_a_decision_is_told_as_it_happens(place: Home, person: Browser) -> None:
    """With the hook that fired and why, through the real shim; the page has it afterwards too."""
    stream = person.events("/live/events", "decision")
    assert next(stream) is None
    place.shim(bash("git push --mirror", tool_use_id="t1", session_id="session-one"))
    line = next(stream)

    assert (line["decision"], line["tool"], line["call"]) == ("deny", "Bash", "git push --mirror")
    assert (line["session"], line["session_short"]) == ("session-one", "session-")
    assert line["hooks"][-1] == {"hook": "never", "did": ["denied"], "evidence": []}
    page = person.get("/live").text
    assert "git push --mirror" in page
    assert '<span class="by">never</span> denied' in page
    assert "git push --mirror" in person.get(line["path"]).text


def test_a_call_that_waits_for_a_person_needs_approval(place: Home, person: Browser) -> None:
    """It was denied for now, which is not a denial."""
    stream = person.events("/live/events", "decision")
    next(stream)
    ask(place, "t1")
    line = next(stream)

    assert (line["decision"], line["approval"]) == ("needs approval", "ap_1")
    assert '<span class="vote needs-approval">needs approval</span>' in person.get("/live").text


@pytest.mark.req("Z09")
def test_what_is_told_holds_nothing_unseen(place: Home, person: Browser) -> None:
    """Long texts are cut, lines are joined, and escapes are written out."""
    stream = person.events("/live/events", "decision")
    next(stream)
    ask(place, "t1", "echo \x1b[2J\u202e\n" + "x" * 1_000, session_id="\x1b[1m")
    line = next(stream)

    assert line["call"].startswith("echo <U+001B>[2J<U+202E> ⏎ xxx")
    assert line["call"].endswith("x…")
    assert len(line["call"]) < 400
    assert line["session"] == "<U+001B>[1m"


@pytest.mark.parametrize("session", ["\x1b[1m", "a b&c=d", "\u202e é/ü", "<U+001B>[1m"])
def test_a_line_leads_to_its_session_whatever_its_name(place: Home, person: Browser, session: str) -> None:
    """By the id itself, not by what is shown of it; as it is told and as it stands on the page."""
    stream = person.events("/live/events", "decision")
    next(stream)
    ask(place, "t1", "ls odd", session_id=session)
    ask(place, "t2", "ls other", session_id="another")
    path = next(stream)["session_path"]
    found = person.get(path)

    assert f'href="{path}"' in person.get("/live").text
    assert (found.status, "ls odd" in found.text, "ls other" in found.text) == (200, True, False)


def test_a_session_with_an_endless_name_leads_to_all(place: Home, person: Browser) -> None:
    """No address would be long enough."""
    stream = person.events("/live/events", "decision")
    next(stream)
    ask(place, "t1", "ls", session_id="x" * 5_000)

    assert next(stream)["session_path"] == "/sessions"


@pytest.mark.parametrize(
    ("query", "calls"),
    [
        ("", ["git push --mirror", "ls b", "ls a"]),
        ("?session=one", ["ls a"]),
        ("?decision=deny", ["git push --mirror"]),
        ("?tool=Bash&actor=agent:main&session=two", ["git push --mirror", "ls b"]),
        ("?tool=Write", []),
    ],
)
def test_filters_choose_what_is_shown(place: Home, person: Browser, query: str, calls: list[str]) -> None:
    """By session, actor, tool and decision, together; the fields keep what was typed."""
    for use_id, (command, session) in enumerate(
        [("ls a", "one"), ("ls b", "two"), ("git push --mirror", "two")]
    ):
        ask(place, f"t{use_id}", command, session_id=session)
    page = person.get(f"/live{query}").text

    assert re.findall(r"<b>Bash</b> <code>(.*?)</code>", page) == calls
    assert (">No decisions yet" in page) is True


def test_two_browsers_see_the_same(place: Home, person: Browser) -> None:
    """Each has its own share, and one that leaves takes nothing from the other."""
    first, second = (person.events("/live/events", "decision") for _ in range(2))
    assert [next(first), next(second)] == [None, None]
    ask(place, "t1", "ls a")
    assert next(first) == next(second)
    first.close()
    ask(place, "t2", "ls b")

    assert next(second)["call"] == "ls b"
