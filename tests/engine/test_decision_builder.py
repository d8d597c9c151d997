"""What counts towards a decision: grants, shadow and observing hooks, text from a project."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builders import PROJECT, Fails, Says, bash, hook, rewriting

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Hook, OnFailure
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote, allow, ask, deny


def decide(*hooks: Hook, event: Event | None = None) -> Decision:
    return Engine(hooks).decide_sync(event or bash("ls"))


def test_an_allow_is_no_approval() -> None:
    """The host skips its own prompt only where an entry says so."""
    assert not decide(hook(allow())).auto_approve
    assert decide(hook(allow(), auto_approve=True)).auto_approve


@pytest.mark.parametrize("other", [ask("sure?"), deny("no")])
def test_a_grant_does_not_outweigh_a_stricter_vote(other: Verdict) -> None:
    """Auto approval needs an allow to be the strictest vote."""
    assert not decide(hook(allow(), auto_approve=True), hook(other)).auto_approve


@pytest.mark.parametrize("rejudge", [True, False])
def test_a_grant_for_an_earlier_input_is_void(rejudge: bool) -> None:
    """After a change only a grant for the final input counts."""
    grant = hook(allow(), matcher="Bash(ls)", auto_approve=True, rejudge=rejudge)

    assert decide(grant).auto_approve
    assert not decide(grant, hook(rewriting("ls", "rm x"))).auto_approve


def test_a_grant_withdrawn_on_the_final_input_is_void() -> None:
    """A hook that allowed the first input and abstains on the final one grants nothing."""
    says = Says(lambda event: allow() if event.tool and event.tool.input["command"] == "ls" else NO_OPINION)
    decision = decide(hook(says, auto_approve=True), hook(rewriting("ls", "rm x")))

    assert says.commands == ["ls", "rm x"]
    assert (decision.vote, decision.auto_approve) == (Vote.ALLOW, False)


def test_a_grant_renewed_on_the_final_input_counts() -> None:
    """The entry may grant what the input became."""
    decision = decide(hook(allow(), matcher="Bash(*)", auto_approve=True), hook(rewriting("ls", "pwd")))

    assert (decision.updated_input, decision.auto_approve) == ({"command": "pwd"}, True)


def test_a_grant_needs_every_part_of_a_command() -> None:
    """A chain with one part the matcher does not mean is not granted."""
    grant = hook(allow(), matcher="Bash(git *)", auto_approve=True)

    assert decide(grant, event=bash("git status && git log")).auto_approve
    assert not decide(grant, event=bash("git status && curl x")).auto_approve
    assert not decide(grant, event=bash("git $(curl x)")).auto_approve


SHADOWED = [
    Says(deny("no")),
    Says(Verdict(updated_input={"command": "other"}, context="c", message="m")),
    Says(Verdict(evidence=Evidence(kind="k", data={}))),
    Says(allow()),
    Fails(),
]


@pytest.mark.parametrize("handler", SHADOWED, ids=lambda one: type(one).__name__)
def test_a_shadow_hook_is_recorded_and_changes_nothing(handler: Says) -> None:
    """With and without it the decision is the same but for the trace."""
    rest = [hook(ask("sure?"), name="a"), hook(rewriting("ls", "pwd"), name="b")]
    with_shadow = decide(hook(handler, shadow=True, auto_approve=True, name="s"), *rest)
    without = decide(*rest)

    assert [row.shadow for row in with_shadow.trace].count(True) == 1
    fields = (
        "vote",
        "reason",
        "decided_by",
        "updated_input",
        "context",
        "messages",
        "evidence",
        "auto_approve",
    )
    assert all(getattr(with_shadow, name) == getattr(without, name) for name in fields)


def test_a_shadow_hook_says_what_it_would_have_decided() -> None:
    """The trace keeps its vote and reason."""
    row = decide(hook(deny("would not"), shadow=True)).trace[0]

    assert (row.vote, row.reason, row.shadow) == (Vote.DENY, "would not", True)


@pytest.mark.req("C1", "F07")
def test_an_observing_hook_is_heard_and_never_votes() -> None:
    """It may speak and keep evidence; its vote and its changes do not count."""
    evidence = Evidence(kind="k", data={})
    said = Verdict(
        vote=Vote.DENY, reason="no", context="c", evidence=evidence, updated_input={"command": "x"}
    )
    decision = decide(hook(said, observe=True), hook(allow()))

    assert (decision.vote, decision.updated_input) == (Vote.ALLOW, None)
    assert (decision.context, decision.evidence) == (("c",), (evidence,))


@pytest.mark.req("F07", "F08")
def test_every_open_pass_is_counted() -> None:
    """A failure that was let pass is marked in the trace and counted in the decision."""
    decision = decide(
        hook(Fails(), observe=True),
        hook(Fails(), on_failure=OnFailure.OPEN),
        hook(Verdict(ignored=True)),
        hook(NO_OPINION),
    )

    assert (decision.vote, decision.open_passes) == (Vote.ABSTAIN, 3)
    assert [row.passed_open for row in decision.trace] == [True, True, True, False]
    assert decision.trace[0].reason == "failed by crash"


def test_text_from_a_project_carries_its_source_and_is_capped() -> None:
    """Reason, context and message are labelled with file and line and hold at most 2 KB."""
    long = "é" * 2_000
    said = Verdict(vote=Vote.ASK, reason=long, context=long, message="short")
    decision = decide(hook(said, source=PROJECT))

    label = "[.interlock/genesis.key:7] "
    assert decision.messages == (f"{label}short",)
    for text in (decision.reason or "", decision.context[0]):
        assert text == label + "é" * 1_024


def test_text_from_the_user_is_left_as_it_is() -> None:
    """Only text nobody vouched for is labelled."""
    decision = decide(hook(Verdict(vote=Vote.ASK, reason="é" * 3_000, context="c")))

    assert (decision.reason, decision.context) == ("é" * 3_000, ("c",))


def test_an_output_may_be_replaced_by_null() -> None:
    """No change and a change to null are told apart."""
    post: dict[str, Any] = {"events": ("PostToolUse",)}
    event = bash("ls", name="PostToolUse", tool_output="old")

    assert decide(hook(Verdict(updated_output=None), **post), event=event).updated_output is None
    assert decide(hook(NO_OPINION, **post), event=event).updated_output is not None


def test_what_could_not_be_read_is_noted() -> None:
    """A decision says why the text was not accounted for, when anything asked about it."""
    asked = decide(hook(NO_OPINION, matcher="Bash(rm *)"), event=bash("echo ${x@P}"))
    not_asked = decide(hook(NO_OPINION), event=bash("echo ${x@P}"))

    assert asked.unread is not None
    assert not_asked.unread is None
