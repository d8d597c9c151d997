"""`deny` says no with a reason."""

from __future__ import annotations

import pytest
from tests.builders import bash, hook, write

from interlock.builtin_hooks.basic import Deny
from interlock.engine.engine import Engine
from interlock.events.verdict import Vote


@pytest.mark.req("M4", "M17", "M40", "M42")
def test_example_one_of_the_document() -> None:
    """The dangerous form is denied with its reason, the alternative passes."""
    engine = Engine([hook(Deny("Recursive force delete is never allowed"), matcher="Bash(rm -rf *)")])
    denied = engine.decide_sync(bash("rm -rf /tmp/stuff"))

    assert denied.feedback == "Tool denied: Recursive force delete is never allowed"
    assert engine.decide_sync(bash("rm -r /tmp/stuff")).outcome == "allow"


@pytest.mark.req("M20")
def test_environment_files_are_protected_wherever_they_lie() -> None:
    """`Write(.env*)` is the sample key's second rule."""
    engine = Engine([hook(Deny("Environment files are protected"), matcher="Write(.env*)")])

    assert engine.decide_sync(write(".env.local")).reason == "Environment files are protected"
    assert engine.decide_sync(write("/w/app/deep/.env")).denied
    assert engine.decide_sync(write("environment.ts")).vote is Vote.ABSTAIN


def test_a_reason_may_carry_what_to_do_instead() -> None:
    """A suggestion follows the reason; without a reason there is still one."""
    suggested = Engine([hook(Deny("No.", "run `make lint`"))]).decide_sync(bash("ls"))
    unexplained = Engine([hook(Deny())]).decide_sync(bash("ls"))

    assert suggested.reason == "No. Instead: run `make lint`"
    assert unexplained.reason == "your policy denies this"


def test_two_denies_are_told_apart_by_what_they_say() -> None:
    """The fingerprint that `once` remembers is the text."""
    assert Deny("a").fingerprint() != Deny("b").fingerprint()
