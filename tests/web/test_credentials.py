"""Laws of links and logins: how long they are good, and for whom."""

from __future__ import annotations

import pytest

from interlock.web.auth.credentials import LoginLinks, Logins
from interlock.web.auth.peers import Holders

HERE: Holders = frozenset({(7, "boot/1")})
MINUTE, HOUR = 60.0, 3600.0


class Clock:
    """A clock that a test moves."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock of this test's own."""
    return Clock()


def test_a_link_is_good_once(clock: Clock) -> None:
    """The second who comes with it finds it used."""
    links = LoginLinks(clock=clock)
    token = links.give("human:ada")

    assert [links.take(token), links.take(token), links.take("")] == ["human:ada", None, None]


@pytest.mark.parametrize(("seconds", "good"), [(5 * MINUTE - 1, True), (5 * MINUTE, False)])
def test_a_link_is_good_for_five_minutes(clock: Clock, seconds: float, good: bool) -> None:
    """After that nobody is let in by it."""
    links = LoginLinks(clock=clock)
    token = links.give("human:ada")
    clock.now += seconds

    assert (links.take(token) is not None) is good


def test_many_links_push_the_oldest_out(clock: Clock) -> None:
    """What waits to be opened is bounded."""
    links = LoginLinks(clock=clock)
    first, *_, last = [links.give("human:ada") for _ in range(17)]

    assert [links.take(first), links.take(last)] == [None, "human:ada"]


@pytest.mark.parametrize(("seconds", "stands"), [(HOUR - 1, True), (HOUR, False)])
def test_a_login_nobody_uses_ends_after_an_hour(clock: Clock, seconds: float, stands: bool) -> None:
    """A browser left open in an office is no way in the next morning."""
    logins = Logins(clock=clock)
    cookie, _ = logins.begin(HERE, "human:ada")
    clock.now += seconds

    assert (logins.find(cookie, HERE) is not None) is stands


def test_a_login_that_is_used_ends_after_twelve_hours(clock: Clock) -> None:
    """However busy it is."""
    logins = Logins(clock=clock)
    cookie, _ = logins.begin(HERE, "human:ada")
    used = []
    for _ in range(13):
        clock.now += HOUR - 1
        used.append(logins.find(cookie, HERE) is not None)

    assert used == [True] * 12 + [False]


def test_a_stream_that_stays_open_is_no_use(clock: Clock) -> None:
    """Otherwise a forgotten page would keep its own login alive."""
    logins = Logins(clock=clock)
    cookie, session = logins.begin(HERE, "human:ada")
    for _ in range(4):
        clock.now += HOUR / 4 - 1
        assert logins.find(cookie, HERE, use=False) is not None
        assert logins.stands(session)
    clock.now += 4

    assert not logins.stands(session)


def test_a_login_belongs_to_its_browsers_process(clock: Clock) -> None:
    """Another process, or another that got the same number, has the cookie in vain."""
    logins = Logins(clock=clock)
    cookie, _ = logins.begin(HERE, "human:ada")

    assert logins.find(cookie, frozenset({(8, "boot/1")})) is None
    assert logins.find(cookie, frozenset({(7, "boot/2")})) is None
    assert logins.find(cookie, frozenset()) is None
    assert logins.find(cookie, HERE | {(8, "boot/1")}) is not None


def test_where_the_system_tells_no_process_the_cookie_is_enough(clock: Clock) -> None:
    """As on macOS."""
    logins = Logins(clock=clock)
    cookie, _ = logins.begin(frozenset(), "human:ada")

    assert logins.find(cookie, frozenset()) is not None


def test_at_the_end_everybody_is_logged_out(clock: Clock) -> None:
    """By that open streams see that it is time to go."""
    logins = Logins(clock=clock)
    cookie, session = logins.begin(HERE, "human:ada")
    logins.end_all()

    assert not logins.stands(session)
    assert logins.find(cookie, HERE) is None


def test_logging_out_ends_one_login_and_no_other(clock: Clock) -> None:
    """The cookie of it is worth nothing from then on."""
    logins = Logins(clock=clock)
    (one, session), (other, _) = logins.begin(HERE, "human:ada"), logins.begin(HERE, "human:ada")
    logins.end(session)

    assert logins.find(one, HERE) is None
    assert logins.find(other, HERE) is not None
    assert not logins.stands(session)
