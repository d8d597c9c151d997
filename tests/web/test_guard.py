"""Laws of the dashboard's door: what is refused before any page hears of it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest
from tests.daemon.approvers import AGENT, ask, refusals, states
from tests.daemon.home import SHIM, Home
from tests.web.browser import Browser, browser, field_of, link, token_of

from interlock.web.main import all_pages

pytestmark = pytest.mark.deep

SHOWN = ["/", *(path for page in all_pages() for path in page.shows), "/static/style.css", "/nowhere"]
DONE = ["/login", *(path for page in all_pages() for path in page.does)]
APPROVE = "/approvals/ap_1/approve"
FORM = {"content-type": "application/x-www-form-urlencoded"}


def approval(person: Browser) -> dict[str, str]:
    """The fields by which a person would approve the first request."""
    page = person.get("/approvals").text
    return {"csrf": person.csrf, "digest": field_of(page, "digest")}


@pytest.mark.req("Z06")
@pytest.mark.parametrize("path", ["/live", "/login", "/static/style.css", "/nowhere", "/live/events"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "0.0.0.0:{port}",
        "127.0.0.1.:{port}",
        "localhost.:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.1:{port}",
        "[::1]:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.example",
        "x.localhost:{port}",
        "",
    ],
)
def test_another_name_is_refused_before_routing(standing: Browser, host: str, path: str) -> None:
    """Whatever is asked for, also what does not exist: the answer is the same and tells nothing of a page."""
    answer = standing.get(path, host=host.format(port=standing.port))

    assert answer.status == 403
    assert answer.text == f"this is the dashboard of 127.0.0.1:{standing.port}; open it under that name\n"


@pytest.mark.req("Z06")
def test_its_own_two_names_are_answered(standing: Browser) -> None:
    """The control."""
    assert standing.get("/live").status == 200
    assert standing.get("/live", host=f"localhost:{standing.port}").status == 200


@pytest.mark.req("Z05")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost:{port}"},
        {"origin": "https://127.0.0.1:{port}"},
        {"origin": "http://127.0.0.1:{port}", "sec-fetch-site": "cross-site"},
        {"origin": "http://127.0.0.1:{port}", "sec-fetch-site": "same-site"},
        {"origin": "http://127.0.0.1:{port}, http://127.0.0.1:{port}"},
    ],
    ids=str,
)
def test_a_post_from_another_page_changes_nothing(standing: Browser, headers: dict[str, str]) -> None:
    """With the cookie and even with the form's token: without the page's own origin it is 403."""
    ask(standing.home, "t1")
    fields = approval(standing)
    body = "&".join(f"{name}={value}" for name, value in fields.items()).encode()
    own = {name: value.format(port=standing.port) for name, value in headers.items()}
    answer = standing.ask("POST", APPROVE, {**FORM, "cookie": standing.cookie, **own}, body)

    assert answer.status == 403
    assert states(standing.home) == ["pending"]


@pytest.mark.req("Z05")
@pytest.mark.parametrize("token", ["", "x", "é"])
def test_a_form_without_the_logins_token_changes_nothing(standing: Browser, token: str) -> None:
    """Nor does one with the token of another login of the same standing."""
    ask(standing.home, "t1")
    fields = approval(standing)
    other = browser(standing.home)
    other.log_in()

    assert standing.post(APPROVE, {**fields, "csrf": token}).status == 403
    assert standing.post(APPROVE, {**fields, "csrf": other.csrf}).status == 403
    assert states(standing.home) == ["pending"]


@pytest.mark.req("Z05")
def test_the_same_form_from_the_page_itself_counts(place: Home, person: Browser) -> None:
    """The control."""
    ask(place, "t1")

    assert person.post(APPROVE, approval(person)).status == 303
    assert states(place) == ["approved"]


@pytest.mark.req("Z05")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", [path.replace("{name}", "ap_1") for path in DONE])
def test_a_get_never_changes_anything(standing: Browser, path: str, method: str) -> None:
    """What a form does, an address does not, with the same fields in it."""
    ask(standing.home, "t1")
    fields = {**approval(standing), "token": token_of(link(standing.home))}
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    before = standing.home.entries()
    answer = standing.ask(method, f"{path}?{query}", {"cookie": standing.cookie})

    assert answer.status in ({200} if path == "/login" else {404, 405})
    assert standing.home.entries() == before
    assert states(standing.home) == ["pending"]
    assert standing.get("/live").status == 200  # nobody was logged out
    visitor = Browser(home=standing.home, port=standing.port)
    assert visitor.post("/login", {"token": fields["token"]}).status == 303  # and the link is as good as new


@pytest.mark.req("Z05")
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_not_used(standing: Browser, method: str) -> None:
    """No page has them, so nobody needs them."""
    assert standing.ask(method, "/live", {"cookie": standing.cookie, "origin": standing.origin}).status == 405


@pytest.mark.req("Z07")
@pytest.mark.parametrize("path", ["/live/events", "/pending/events", "/fleet/events"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:1", "sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "none"},
        {"origin": "https://evil.example", "sec-fetch-site": "same-origin"},
    ],
    ids=str,
)
def test_a_stream_is_for_the_dashboards_own_pages(
    standing: Browser, path: str, headers: dict[str, str]
) -> None:
    """Without a sign that the page itself listens, it is refused before a line of it is sent."""
    answer = standing.get(path, accept="text/event-stream", **headers)

    assert answer.status == 403
    assert "event" not in answer.text


@pytest.mark.req("Z07")
@pytest.mark.parametrize("path", ["/live", "/live/events", "/nowhere"])
def test_a_web_socket_is_refused(standing: Browser, path: str) -> None:
    """There is none, whoever asks for it."""
    wants = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    for origin in (standing.origin, "https://evil.example"):
        assert standing.get(path, **wants, origin=origin).status == 403


@pytest.mark.req("Z07")
@pytest.mark.parametrize("path", ["/live", "/approvals/waiting"])
def test_a_script_elsewhere_gets_no_page(standing: Browser, path: str) -> None:
    """Also one on another port of this machine, to which a cookie is the same site's."""
    for site in ("cross-site", "same-site"):
        assert standing.get(path, **{"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}).status == 403
    assert standing.get(path, **{"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}).status == 200


@pytest.mark.parametrize("path", SHOWN)
def test_who_is_not_logged_in_sees_only_the_way_in(standing: Browser, path: str) -> None:
    """Also of pages that are not there: that would tell which are."""
    visitor = Browser(home=standing.home, port=standing.port)
    shown = path.startswith(("/login", "/static/"))

    assert visitor.get(path, **{"sec-fetch-site": "same-origin"}).status == (200 if shown else 401)


@pytest.mark.req("Z09")
@pytest.mark.parametrize("path", ["/live", "/approvals", "/login", "/static/live.js", "/nowhere"])
def test_every_answer_forbids_inline_scripts_and_frames(standing: Browser, path: str) -> None:
    """Pages, files, refusals and what does not exist alike."""
    for answer in (standing.get(path), standing.get(path, host="evil.example")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


@pytest.mark.req("Z02")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which process is behind a connection")
def test_an_agents_process_is_refused_with_a_persons_cookie(place: Home, person: Browser) -> None:
    """It has the cookie, the form's token and the right headers; the kernel says whose child it is."""
    ask(place, "t1")
    fields = approval(person)
    body = "&".join(f"{name}={value}" for name, value in fields.items())
    headers = {**FORM, "cookie": person.cookie, "origin": person.origin}
    code = (
        "import http.client, json, sys\n"
        "port, method, path, body, headers = json.loads(sys.argv[1])\n"
        "peer = http.client.HTTPConnection('127.0.0.1', port, timeout=60)\n"
        "peer.request(method, path, body, headers)\n"
        "print(peer.getresponse().status)"
    )
    for method, path in (("POST", APPROVE), ("GET", "/approvals"), ("GET", "/login")):
        given = json.dumps([person.port, method, path, body, headers])
        command = json.dumps([sys.executable, "-c", code, given])
        agent = [sys.executable, str(AGENT), str(SHIM), str(place.folder), command]
        done = subprocess.run(agent, capture_output=True, text=True, timeout=90, check=True)
        assert json.loads(done.stdout)[1] == "403\n", done.stdout
    found = [(entry.body["command"], entry.body["session_id"]) for entry in refusals(place)]

    assert states(place) == ["pending"]
    assert (f"dashboard: POST {APPROVE}", "s-agent") in found
    assert person.post(APPROVE, fields).status == 303  # the person beside it is not taken for it


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which process is behind a connection")
def test_who_left_before_the_answer_is_told_of_where_it_mattered(place: Home, person: Browser) -> None:
    """A browser drops what a page still asks when it is left; what could change something is recorded."""
    for method, path in (("GET", "/approvals"), ("POST", APPROVE)):
        for _ in range(10):
            with socket.create_connection(("127.0.0.1", person.port), timeout=60) as peer:
                head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{person.port}\r\ncookie: {person.cookie}"
                peer.sendall(f"{head}\r\ncontent-length: 0\r\n\r\n".encode())
    told = [(entry.body["command"], entry.body["reason"].partition(";")[0]) for entry in refusals(place)]

    assert set(told) == {(f"dashboard: POST {APPROVE}", "the calling process was not found")}


@pytest.mark.req("Z02")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which process is behind a connection")
def test_a_cookie_carried_to_another_process_is_worth_nothing(standing: Browser) -> None:
    """Cookies know no port: whichever server on this machine is opened next in that browser sees them."""
    code = (
        "import http.client, sys\n"
        "peer = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=60)\n"
        "peer.request('GET', '/live', headers={'cookie': sys.argv[2]})\n"
        "print(peer.getresponse().status)"
    )
    command = [sys.executable, "-c", code, str(standing.port), standing.cookie]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)

    assert done.stdout == "401\n"
    assert standing.get("/live").status == 200
