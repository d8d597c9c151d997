"""Laws of the way in and out, against the real process."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec
import pytest
from tests.daemon.home import Home, wait_for
from tests.living_agent import living_agent
from tests.orphan import left_alone
from tests.web.browser import Browser, browser, link, token_of

from interlock.files.own_files import write_whole
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import hash_passphrase

pytestmark = pytest.mark.deep

ROOT = str(Path(__file__).resolve().parents[2])


def test_a_link_shows_a_button_and_is_not_used_up_by_looking(visitor: Browser) -> None:
    """A preview or a scanner opens links too."""
    token = token_of(link(visitor.home))
    pages = [visitor.get(f"/login?token={token}") for _ in range(3)]

    assert {page.status for page in pages} == {200}
    assert token in pages[0].text
    assert "set-cookie" not in pages[0].headers
    assert visitor.post("/login", {"token": token}).status == 303


def test_a_link_logs_in_one_browser_once(visitor: Browser) -> None:
    """The second try is told so and gets no cookie."""
    token = token_of(link(visitor.home))
    first, second = (visitor.post("/login", {"token": token}) for _ in range(2))

    assert (first.status, first.headers["location"]) == (303, "/live")
    assert (second.status, "set-cookie" in second.headers) == (403, False)
    assert "this link was already used or has expired" in second.text


def test_the_cookie_is_for_this_server_and_no_script(visitor: Browser) -> None:
    """No page elsewhere sends it and no script reads it."""
    answer = visitor.log_in()
    name, *marks = answer.headers["set-cookie"].split("; ")

    assert name.startswith("interlock=")
    assert {mark.lower() for mark in marks} == {"httponly", "max-age=43200", "path=/", "samesite=strict"}


def test_logging_out_needs_the_form_and_ends_the_login(person: Browser) -> None:
    """Without the token nothing happens; with it the cookie is worth nothing."""
    assert person.post("/logout", {}).status == 403
    assert person.get("/live").status == 200
    assert person.submit("/logout").status == 303
    assert person.get("/live").status == 401


def test_a_stream_ends_with_its_login(person: Browser) -> None:
    """Whoever logs out sees no more, also on pages that are still open."""
    stream = person.events("/pending/events", "pending")
    assert next(stream) is None
    assert next(stream) == []
    person.submit("/logout")

    assert list(stream) == []


def test_logging_in_again_ends_the_login_before(person: Browser) -> None:
    """One browser has one login."""
    before = Browser(home=person.home, port=person.port, cookie=person.cookie)
    person.log_in()

    assert before.get("/live").status == 401
    assert person.get("/live").status == 200


def test_two_browsers_are_logged_in_apart(place: Home, person: Browser) -> None:
    """One that leaves takes no other with it."""
    other = browser(place)
    other.log_in()
    person.submit("/logout")

    assert other.get("/live").status == 200


def test_only_a_form_is_taken(visitor: Browser) -> None:
    """What is too long, of another kind or no text at all is refused in a sentence."""
    own = {"origin": visitor.origin}
    form = {**own, "content-type": "application/x-www-form-urlencoded"}

    assert visitor.ask("POST", "/login", {**own, "content-type": "application/json"}, b"{}").status == 415
    assert visitor.ask("POST", "/login", own, b"token=x").status == 415
    assert visitor.ask("POST", "/login", form, b"token=" + b"x" * 70_000).status == 413
    assert visitor.ask("POST", "/login", form, b"token=%ff").status == 400
    assert visitor.ask("POST", "/login", form, b"&a=1" * 200).status == 400


@pytest.mark.req("Z02")
def test_a_browser_that_could_be_an_agents_gives_the_passphrase_too(visitor: Browser) -> None:
    """Where one is set: a link can be read from a screen by whatever an agent left alone."""
    home, secret = visitor.home, "correct horse battery"
    write_whole(home.places.state / PASSPHRASE, msgspec.json.encode(hash_passphrase(secret)), mode=0o600)
    token = token_of(link(home))
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[5]);"
        "from tests.daemon.home import Home; from tests.web.browser import Browser;"
        "one = Browser(home=Home(folder=Path(sys.argv[1])), port=int(sys.argv[2]));"
        "print(one.get('/login?token=' + sys.argv[3]).text);"
        "print(one.post('/login', {'token': sys.argv[3], 'passphrase': sys.argv[4]}).status)"
    )
    program = (sys.executable, "-c", code, str(home.folder), str(visitor.port), token)
    with living_agent(home):
        refused = left_alone(home.folder / "out", *program, "a guess", ROOT)[1]
        again = time.monotonic() + 2.5  # one guess in two seconds
        wait_for(lambda: time.monotonic() > again, "another try is allowed")
        let_in = left_alone(home.folder / "out", *program, secret, ROOT)[1]

    assert 'name="passphrase"' in refused
    assert refused.split()[-1] == "403"
    assert let_in.split()[-1] == "303"
    assert 'name="passphrase"' not in visitor.get(f"/login?token={token}").text
