"""`ask` wants a person's word."""

from __future__ import annotations

from tests.builders import bash, hook

from interlock.builtin_hooks.basic import Ask, Deny
from interlock.engine.engine import Engine
from interlock.events.verdict import Vote


def test_a_person_is_asked_with_a_reason_and_what_needs_no_asking() -> None:
    """A suggestion follows the reason; without a reason there is still one."""
    suggested = Engine([hook(Ask("It publishes.", "`npm pack`"), matcher="Bash(npm publish *)")])
    decision = suggested.decide_sync(bash("npm publish"))

    assert (decision.vote, decision.reason) == (Vote.ASK, "It publishes. Instead: `npm pack`")
    assert suggested.decide_sync(bash("npm pack")).vote is Vote.ABSTAIN
    assert Engine([hook(Ask())]).decide_sync(bash("ls")).reason == "your policy asks for a person's approval"


def test_an_ask_does_not_end_the_chain() -> None:
    """A later deny still counts."""
    assert Engine([hook(Ask("a")), hook(Deny("b"))]).decide_sync(bash("ls")).reason == "b"


def test_two_asks_are_told_apart_by_what_they_say() -> None:
    """The fingerprint that `once` remembers is the text."""
    assert Ask("a").fingerprint() != Ask("b").fingerprint()
