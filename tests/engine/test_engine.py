"""What is decided for an event: the order of hooks, changes to the input, reload."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.builders import Says, Waits, bash, hook, rewriting

from interlock.builtin_hooks.basic import Deny
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Dialect
from interlock.events.verdict import NO_OPINION, Evidence, Outcome, Verdict, Vote, allow, ask, deny


def decide(*hooks: object, event: Event | None = None) -> Decision:
    """Decide by hooks, given as hooks or as what they say."""
    built = [hook(one) if isinstance(one, Verdict | Says) else one for one in hooks]
    return Engine(built).decide_sync(event or bash("ls"))  # type: ignore[arg-type]  # hooks by now


@pytest.mark.req("C47", "M35")
def test_without_hooks_everything_passes() -> None:
    """An engine without a policy abstains, and its decision is allow."""
    decision = decide()

    assert (decision.vote, decision.outcome, decision.trace) == (Vote.ABSTAIN, "allow", ())


@pytest.mark.req("C1", "C46", "C48", "M1", "M31", "M32", "U1")
def test_hooks_run_one_after_another_in_the_order_given() -> None:
    """The trace names every hook in the order of the list."""
    decision = Engine([hook(NO_OPINION, name=str(n)) for n in range(5)]).decide_sync(bash("ls"))

    assert [row.hook for row in decision.trace] == ["0", "1", "2", "3", "4"]


@pytest.mark.req("C50", "M33")
def test_the_first_deny_ends_the_chain() -> None:
    """What stands behind a deny does not run, and the deny's reason is the decision's."""
    after = Says(deny("second"))
    decision = decide(NO_OPINION, deny("first"), after)

    assert (decision.vote, decision.reason, after.shown) == (Vote.DENY, "first", [])


@pytest.mark.req("C1", "Z12")
@pytest.mark.parametrize("early", [allow("fine"), ask("sure?"), NO_OPINION])
def test_nothing_but_a_deny_ends_the_chain(early: Verdict) -> None:
    """A hook that allows first does not keep later hooks from denying."""
    assert decide(early, deny("no")).reason == "no"


@pytest.mark.parametrize(
    ("votes", "strictest"),
    [
        ([allow("a"), ask("b")], Vote.ASK),
        ([ask("b"), allow("a")], Vote.ASK),
        ([NO_OPINION, allow("a")], Vote.ALLOW),
        ([NO_OPINION], Vote.ABSTAIN),
    ],
)
def test_the_strictest_vote_decides(votes: list[Verdict], strictest: Vote) -> None:
    """The order of the votes does not matter."""
    assert decide(*votes).vote is strictest


def test_the_first_of_equal_votes_gives_the_reason() -> None:
    """A decision names one hook, the first that was as strict."""
    hooks = [hook(ask("first"), name="a"), hook(ask("second"), name="b")]
    decision = Engine(hooks).decide_sync(bash("ls"))

    assert (decision.reason, decision.decided_by) == ("first", "a")


@pytest.mark.req("M34", "C25")
def test_a_hook_whose_matcher_does_not_fit_is_skipped() -> None:
    """It does not run, and the trace says so."""
    says = Says(deny("no"))
    decision = decide(hook(says, matcher="Write"))

    assert (decision.vote, says.shown) == (Vote.ABSTAIN, [])
    assert [row.outcome for row in decision.trace] == [Outcome.SKIPPED]


def test_a_hook_of_another_moment_is_not_even_in_the_trace() -> None:
    """Hooks are bound to their events; one named twice runs once."""
    other = hook(deny("no"), events=("Stop",))
    twice = hook(allow(), events=("PreToolUse", "PreToolUse"))

    assert [row.vote for row in decide(other, twice).trace] == [Vote.ALLOW]


@pytest.mark.req("M37")
def test_stop_hooks_run_at_stop_and_nowhere_else() -> None:
    """A tool call does not reach them; the end of a turn does, and they may hold it."""
    engine = Engine([hook(deny("not yet"), events=("Stop",))])

    assert engine.decide_sync(bash("ls")).trace == ()
    assert engine.decide_sync(Event(name="Stop")).denied


@pytest.mark.req("C26")
def test_a_hook_with_a_tool_matcher_skips_events_without_a_tool() -> None:
    """Departing from the document: only its registry fires there."""
    for matcher in ("Bash", "Bash*", "Bash(ls)", "/Bash/"):
        decision = Engine([hook(deny("no"), matcher=matcher, events=("Stop",))]).decide_sync(
            Event(name="Stop")
        )
        assert decision.trace[0].outcome is Outcome.SKIPPED


def test_an_event_nobody_has_named_is_observed() -> None:
    """A host's new moment runs the hooks bound to it; their votes do not count."""
    decision = Engine([hook(deny("no"), events=("BrandNew",))]).decide_sync(Event(name="BrandNew"))

    assert (decision.vote, decision.trace[0].vote) == (Vote.ABSTAIN, Vote.DENY)


@pytest.mark.req("C51", "C52", "M3")
def test_later_hooks_see_the_changed_input_and_the_last_one_is_the_result() -> None:
    """Each change builds on the one before."""
    after = Says(NO_OPINION)
    decision = decide(rewriting("a", "b"), rewriting("b", "c"), after, event=bash("echo a"))

    assert after.commands == ["echo c"]
    assert decision.updated_input == {"command": "echo c"}


@pytest.mark.req("C52")
def test_an_input_changed_back_is_unchanged() -> None:
    """The result is a change only when the last input differs from the first."""
    decision = decide(rewriting("a", "b"), rewriting("b", "a"), event=bash("a"))

    assert decision.updated_input is None


@pytest.mark.req("C1", "C51")
def test_a_judge_before_the_change_judges_the_final_input_too() -> None:
    """Its second vote counts and is marked in the trace."""
    judge = Says(
        lambda event: deny("no rm") if event.tool and "rm" in event.tool.input["command"] else allow()
    )
    decision = decide(judge, rewriting("ls", "rm x"))

    assert (decision.vote, decision.reason, judge.commands) == (Vote.DENY, "no rm", ["ls", "rm x"])
    assert [row.rejudged for row in decision.trace] == [False, False, True]


def test_a_rule_that_did_not_fit_the_first_input_judges_the_final_one() -> None:
    """A deny hook skipped before the change is asked again after it."""
    decision = decide(hook(Deny("never"), matcher="Bash(rm *)"), rewriting("ls", "rm x"))

    assert (decision.vote, decision.reason) == (Vote.DENY, "never")


def test_changes_of_a_second_run_are_ignored() -> None:
    """Otherwise two hooks could change the input for ever."""

    def answer(event: Event) -> Verdict:
        assert event.tool is not None
        return Verdict(updated_input={"command": event.tool.input["command"] + "!"})

    judge = Says(answer)
    decision = decide(judge, rewriting("ls", "pwd"))

    assert judge.commands == ["ls", "pwd!"]
    assert decision.updated_input == {"command": "pwd!"}


def test_a_judge_that_saw_the_final_input_is_not_asked_twice() -> None:
    """Only stale votes are renewed; `rejudge: false` opts out."""
    fresh, opted_out = Says(allow()), Says(allow())
    decide(hook(opted_out, rejudge=False), rewriting("ls", "pwd"), fresh)

    assert (fresh.commands, opted_out.commands) == (["pwd"], ["ls"])


@pytest.mark.parametrize("once_only", [{"once": True}, {"dialect": Dialect.HOOKS_TOML}])
def test_what_may_run_only_once_is_not_run_again_on_a_changed_input(once_only: dict[str, Any]) -> None:
    """A `once` hook, and a program or webhook of `hooks.toml`; one that has not run yet has its first run."""
    ran, waiting = Says(allow()), Says(allow())
    decide(hook(ran, **once_only), hook(waiting, matcher="Bash(pwd)", **once_only), rewriting("ls", "pwd"))

    assert (ran.commands, waiting.commands) == (["ls"], ["pwd"])


def test_after_a_deny_nothing_is_judged_again() -> None:
    """A denied call needs no second opinion."""
    judge = Says(allow())
    decide(judge, rewriting("ls", "pwd"), deny("no"))

    assert judge.commands == ["ls"]


def test_a_changed_prompt_is_judged_again() -> None:
    """What a prompt becomes is judged like what an input becomes."""
    judge = Says(lambda event: deny("secret") if event.prompt == "secret" else NO_OPINION)
    hooks = [
        hook(judge, events=("UserPromptSubmit",)),
        hook(Says(Verdict(updated_prompt="secret"), judges=False), events=("UserPromptSubmit",)),
    ]
    decision = Engine(hooks).decide_sync(Event(name="UserPromptSubmit", prompt="hello"))

    assert (decision.vote, decision.updated_prompt) == (Vote.DENY, "secret")


@pytest.mark.req("C3", "C4", "C65", "M36")
@pytest.mark.parametrize("name", ["PostToolUse", "PostToolUseFailure"])
def test_after_the_fact_votes_change_nothing_and_the_rest_counts(name: str) -> None:
    """Every post hook runs; context, output and evidence count, a deny does not."""
    evidence = Evidence(kind="k", data={})
    hooks = [
        hook(deny("too late"), events=(name,)),
        hook(Verdict(context="note", message="hi", evidence=evidence, updated_output="new"), events=(name,)),
        hook(Verdict(updated_input={"command": "other"}), events=(name,)),
    ]
    decision = Engine(hooks).decide_sync(bash("ls", name=name, tool_output="old"))

    assert (decision.vote, decision.reason, len(decision.trace)) == (Vote.ABSTAIN, None, 3)
    assert (decision.context, decision.messages, decision.evidence) == (("note",), ("hi",), (evidence,))
    assert (decision.updated_output, decision.updated_input) == ("new", None)


@pytest.mark.req("D14")
async def test_a_decision_under_way_keeps_its_revision() -> None:
    """Reload changes what comes next, never what has begun."""
    waits = Waits()
    engine = Engine([hook(waits), hook(deny("old rule"))], revision="1")
    begun = asyncio.create_task(engine.decide(bash("ls")))
    await waits.began.wait()
    engine.reload([hook(allow("new rule"))], revision="2")
    waits.go.set()
    old, new = await begun, await engine.decide(bash("ls"))

    assert (old.revision, old.reason) == ("1", "old rule")
    assert (new.revision, new.reason) == ("2", "new rule")


@pytest.mark.req("D14")
async def test_each_of_many_decisions_names_one_revision() -> None:
    """A hundred events around a reload are each decided wholly before or wholly after it."""
    waits = Waits()
    engine = Engine([hook(waits), hook(ask("1"))], revision="1")
    begun = [asyncio.create_task(engine.decide(bash(f"echo {n}"))) for n in range(100)]
    await waits.began.wait()
    engine.reload([hook(ask("2"))], revision="2")
    waits.go.set()
    decisions = [await one for one in begun] + [await engine.decide(bash("ls")) for _ in range(3)]

    assert all(decision.revision == decision.reason for decision in decisions)
    assert {decision.revision for decision in decisions} == {"1", "2"}


@pytest.mark.req("C81")
def test_every_hook_leaves_a_row_with_its_place_and_vote() -> None:
    """The trace says what each hook is, where it stands, what it voted and how it went."""
    row = decide(hook(Deny("no"), matcher="Bash", name="guard")).trace[0]

    assert (row.hook, row.type, row.matcher, row.source) == ("guard", "deny", "Bash", "<code>")
    assert (row.vote, row.reason, row.outcome) == (Vote.DENY, "no", Outcome.BLOCKING)
    assert row.duration_ms >= 0


@pytest.mark.req("C54")
def test_there_may_be_any_number_of_hooks() -> None:
    """Five hundred hooks for one event all run."""
    decision = decide(*[NO_OPINION] * 499, ask("last"))

    assert (len(decision.trace), decision.reason) == (500, "last")


async def test_what_is_recorded_is_what_is_answered() -> None:
    """The recorder gets the event as it came and the decision that leaves."""
    kept: list[tuple[Event, Decision]] = []

    async def record(event: Event, decision: Decision) -> None:
        kept.append((event, decision))

    engine = Engine([hook(rewriting("ls", "pwd"))], record=record)
    event = bash("ls")

    answered = await engine.decide(event)
    assert kept == [(event, answered)]
    assert engine.decide_sync(event) == kept[1][1]
    engine.close()


def test_the_effective_pipeline_can_be_listed() -> None:
    """An engine shows its hooks in the order they run."""
    first, second = hook(NO_OPINION, name="a"), hook(NO_OPINION, name="b")

    assert Engine([first, second]).hooks == (first, second)
