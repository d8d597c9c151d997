"""People who are told of a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import bash, made

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.features.notifications.service import Notice, NotificationService, Ways
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

KEY = "AKIA" + "J2E4X6Z8Q0W3R5T7"  # of no account
HOOK = "https://hooks.example/x"


class People:
    """Hear everything."""

    def __init__(self) -> None:
        self.heard: list[Notice] = []
        self.ways: list[tuple[Ways, str | None]] = []

    def tell(self, notice: Notice, ways: Ways, bell_of: str | None) -> None:
        """Keep it."""
        self.heard.append(notice)
        self.ways.append((ways, bell_of))


def told(
    event: Event, config: dict[str, Any], at: str = "notification", people: People | None = None, **entry: Any
) -> list[Notice]:
    """What people hear."""
    people = people or People()
    engine = made(
        "notify",
        at,
        config,
        services=HookServices({NotificationService: people, Memory: MemoryInProcess()}),
        **entry,
    )
    assert engine.decide_sync(event).vote is Vote.ABSTAIN
    return people.heard


def waiting(**extra: Any) -> Event:
    """The host says that it waits."""
    return Event(
        name=EventName.NOTIFICATION,
        session_id="s",
        cwd="/srv/shop",
        extra={"message": "Claude waits", **extra},
    )


def test_a_notice_goes_the_ways_the_policy_names() -> None:
    """A title with the project, the words of the host, and a document for programs."""
    people = People()
    (heard,) = told(waiting(), {"webhook": HOOK, "desktop": True, "bell": True}, people=people)

    assert (heard.title, heard.text) == ("Interlock: shop wants you", "Claude waits")
    assert people.ways == [(Ways(webhook=HOOK, desktop=True), "s")]
    assert heard.document == {
        "event": "hook_notice",
        "moment": "Notification",
        "text": "Claude waits",
        "session_id": "s",
        "actor": "agent:main",
        "host": "python",
        "folder": "/srv/shop",
        "tool": None,
    }


def test_slack_gets_one_text_without_markup_of_others() -> None:
    """Three signs would be read as more than text."""
    event = waiting(message="<!channel> & co")
    (heard,) = told(event, {"webhook": HOOK, "shape": "slack"})

    assert heard.document == {"text": "*Interlock: shop wants you*\n&lt;!channel&gt; &amp; co"}


@pytest.mark.parametrize(
    ("event", "at", "title", "text"),
    [
        (bash("make\n  all", "/a/b"), "pre_tool_use", "Interlock: b is at PreToolUse", "Bash: make all"),
        (
            Event(name=EventName.POST_TOOL_USE_FAILURE, error="boom"),
            "post_tool_use_failure",
            "Interlock: an agent had a failed call",
            "boom",
        ),
        (
            Event(name=EventName.STOP, cwd="/x/y/", extra={"last_assistant_message": "done"}),
            "stop",
            "Interlock: y has finished",
            "done",
        ),
        (
            Event(name=EventName.SESSION_END, cwd="/x", extra={"reason": 5}),
            "session_end",
            "Interlock: x has ended",
            "SessionEnd",
        ),
    ],
)
def test_every_moment_has_its_words(event: Event, at: str, title: str, text: str) -> None:
    """One line each, whatever the host sends."""
    (heard,) = told(event, {"desktop": True}, at)

    assert (heard.title, heard.text) == (title, text)


def test_a_text_of_the_policy_is_filled_in() -> None:
    """With facts of the moment; a name that stands for nothing is a mistake."""
    (heard,) = told(
        bash("make", "/a/b"), {"bell": True, "text": "{actor} runs {call} in {folder}"}, "pre_tool_use"
    )

    assert heard.text == "agent:main runs Bash: make in /a/b"
    with pytest.raises(ConfigError, match=r"`\{tol\}` is not a placeholder"):
        made("notify", "stop", {"bell": True, "text": "{tol}"})


def test_secrets_do_not_leave() -> None:
    """Neither in the line nor in the document."""
    (heard,) = told(waiting(message=f"key {KEY}"), {"webhook": HOOK})

    assert KEY not in repr(heard)
    assert heard.document["text"] == "key [secret:aws]"


def test_no_more_often_than_wanted_for_each_session_and_over_restarts() -> None:
    """The time of the last one is remembered."""
    people, memory = People(), MemoryInProcess()

    def engine() -> Engine:
        services = HookServices({NotificationService: people, Memory: memory})
        return made("notify", "notification", {"bell": True, "every": 60}, services=services, name="n")

    for session in ("s", "s", "t"):
        event = Event(name=EventName.NOTIFICATION, session_id=session, extra={"message": "x"})
        engine().decide_sync(event)
    assert [one.document["session_id"] for one in people.heard] == ["s", "t"]
    memory.put("s", "n", {"at": memory.get("s", "n")["at"] - 61})
    engine().decide_sync(waiting())
    assert len(people.heard) == 3
    memory.put("s", "n", {"at": 9e12})  # the clock was set back
    engine().decide_sync(waiting())
    assert len(people.heard) == 4


def test_the_address_may_stand_in_a_file(tmp_path: Path) -> None:
    """That of a Slack channel is a secret."""
    (tmp_path / "slack").write_text(f"{HOOK}\n")
    environ = {"HOME": str(tmp_path)}
    people = People()
    told(waiting(), {"webhook_file": "~/slack"}, people=people, environ=environ)

    assert people.ways == [(Ways(webhook=HOOK), None)]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "nobody would be notified"),
        ({"webhook": "ftp://x"}, "`ftp://x` is not a web address"),
        ({"webhook": "http://[x"}, "is not a web address"),
        ({"webhook": HOOK, "webhook_file": "/x"}, "remove one of the two"),
        ({"webhook_file": "x"}, "`x` is relative"),
        ({"webhook_file": "/nowhere/x"}, "cannot be read"),
        ({"webhook_file": "/etc/hostname"}, "the content of the file is not a web address"),
    ],
)
def test_mistakes_are_told_when_the_policy_loads(config: dict[str, Any], said: str) -> None:
    """Not when somebody waits to be told."""
    with pytest.raises(ConfigError, match=said):
        made("notify", "stop", config)


def test_a_trial_and_an_engine_without_a_daemon_tell_nobody() -> None:
    """And nothing breaks."""
    assert told(waiting(), {"desktop": True}, mode="shadow") == []
    assert made("notify", "stop", {"desktop": True}).decide_sync(waiting()).vote is Vote.ABSTAIN
