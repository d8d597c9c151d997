"""Laws of telling people that somebody waits for them."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, decided, wait_for
from tests.daemon.home import bash as bash_event
from tests.features.approvals.approval_setup import ApprovalSetup, bash
from tests.features.approvals.conftest import database as database  # noqa: PLC0414 - a fixture for this file too
from tests.features.approvals.conftest import setup as setup  # noqa: PLC0414 - the same
from tests.handlers.endpoint import Endpoint, serving

from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.requests import Request
from interlock.features.approvals.service import request_notice
from interlock.features.notifications.service import Notifier, Ways
from interlock.files.system_programs import system_program

POLICY = """\
version: "2.0"
settings: {approval: {notify: {webhook: "URL"}}}
hooks:
  pre_tool_use:
    - {type: ask, name: push, matcher: "Bash(git push *)", config: {reason: ready?}}
"""
STUB = """\
#!/bin/sh
here=$(dirname "$0")
printf "%s\\n" "$DBUS_SESSION_BUS_ADDRESS" "$@" > "$here/told"
"""


class NotifierSetup:
    """A notifier, and what it wanted recorded."""

    def __init__(self, **given: Any) -> None:
        self.notes: list[tuple[str, dict[str, object]]] = []
        self.notifier = Notifier(lambda op, body: self.notes.append((op, body)), pauses=(0.0, 0.0), **given)

    async def tell(self, request: Request, **rules: Any) -> None:
        """Announce, and wait until nothing is under way."""
        self.notifier.tell(request_notice(request, STANDARD_TOOLS), Ways(**rules))
        await asyncio.gather(*self.notifier._tasks)


@pytest.fixture
def asked(setup: ApprovalSetup) -> Request:
    """A request with markup, escapes and a bidi mark in it."""
    setup.ask(bash("git push '<b>x</b>' \x1b[2J\u202e"))
    return setup.answers.get("ap_1")


@pytest.mark.deep
def test_a_webhook_hears_of_a_request_through_the_daemon(place: Home) -> None:
    """With the call as it is shown and no way to answer; the decision did not wait for it."""
    held = Endpoint()
    with serving(held):
        place.write_policy(POLICY.replace("URL", held.url))
        place.start()
        call = bash_event("git push origin", tool_use_id="t1", permission_mode="default")
        verdict, _ = decided(place.call(call))
        wait_for(lambda: held.requests, "the webhook is called")
        again = bash_event("git push origin", tool_use_id="t2", permission_mode="default")
        place.call(again)
    (heard,) = held.requests

    assert verdict == "deny"
    assert heard.headers["Content-Type"] == "application/json"
    document = heard.document
    assert (document["approval"], document["tool"], document["reason"]) == ("ap_1", "Bash", "ready?")
    assert document["call"]["input"] == {"command": "git push origin"}
    assert document["shown"][:2] == ["Bash in /usr", "  | git push origin"]
    assert not [key for key in document if "token" in key or "url" in key]


@pytest.mark.deep
def test_a_decision_does_not_wait_for_a_webhook_that_hangs(place: Home) -> None:
    """The answer is there while the webhook still thinks."""
    held = Endpoint(held=threading.Event())
    with serving(held):
        place.write_policy(POLICY.replace("URL", held.url))
        place.start()
        call = bash_event("git push origin", tool_use_id="t1", permission_mode="default")

        assert decided(place.call(call))[0] == "deny"
        wait_for(lambda: held.requests, "the webhook is called")
        assert decided(place.call(bash_event("ls")))[0] is None


async def test_a_webhook_is_tried_three_times_and_its_failure_recorded_once(asked: Request) -> None:
    """Until one succeeds: then a new failure is a new alarm."""
    told = NotifierSetup()
    with serving(Endpoint(status=500)) as broken:
        await told.tell(asked, webhook=broken.url)
        await told.tell(asked, webhook=broken.url)
        tried = len(broken.requests)
        broken.status = 200
        await told.tell(asked, webhook=broken.url)
    await told.tell(asked, webhook=broken.url)

    assert tried == 6
    assert [op for op, _ in told.notes] == ["alarm", "alarm"]
    assert "it answered 500" in str(told.notes[0][1]["reason"])


async def test_a_redirect_is_not_followed(asked: Request) -> None:
    """A call with its input goes where the settings say, and nowhere else."""
    told = NotifierSetup()
    with (
        serving(Endpoint()) as other,
        serving(Endpoint(status=302, headers={"Location": other.url})) as first,
    ):
        await told.tell(asked, webhook=first.url)

        assert other.requests == []
    assert len(told.notes) == 1


async def test_a_flood_of_requests_is_bounded(asked: Request) -> None:
    """Beyond a few under way the rest are left out, and that is said once."""
    told = NotifierSetup()
    for _ in range(100):
        told.notifier.tell(request_notice(asked, STANDARD_TOOLS), Ways(webhook="http://127.0.0.1:9/"))
    under_way = len(told.notifier._tasks)
    await told.notifier.close()

    assert under_way == 32
    assert [op for op, _ in told.notes] == ["alarm"]


@pytest.mark.deep
async def test_the_desktop_is_told_in_text_that_is_no_markup(asked: Request, tmp_path: Path) -> None:
    """The program gets the title and the escaped call as words, and the session bus."""
    stub, bus = tmp_path / "notify-send", tmp_path / "bus"
    stub.write_text(STUB)
    stub.chmod(0o755)
    bus.touch()
    told = NotifierSetup(environ={"LD_PRELOAD": ""}, bus=bus, find=lambda name: f"{tmp_path}/{name}")
    await told.tell(asked, desktop=True)
    address, *words = (tmp_path / "told").read_text().splitlines()

    assert address == f"unix:path={bus}"
    assert words == [
        "--app-name=Interlock",
        "--",
        "Interlock: ap_1 needs your approval",
        "git push &#x27;&lt;b&gt;x&lt;/b&gt;&#x27; &lt;U+001B&gt;[2J&lt;U+202E&gt;",
    ]


@pytest.mark.parametrize("missing", ["program", "bus"])
async def test_without_a_desktop_nothing_happens(asked: Request, tmp_path: Path, missing: str) -> None:
    """A machine without one is not a failure."""
    bus = tmp_path / "bus"
    if missing == "program":
        bus.touch()
    else:
        (tmp_path / "notify-send").write_text(STUB)
        (tmp_path / "notify-send").chmod(0o755)
    told = NotifierSetup(bus=bus, find=lambda name: system_program(name, [str(tmp_path)]))
    await told.tell(asked, desktop=True)

    assert told.notes == []
    assert not (tmp_path / "told").exists()
