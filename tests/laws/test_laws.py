"""Laws of deciding that hold for every policy and every event."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import Says, allowed, bash, enforcing, entry, hook, rewriting, write
from tests.laws import drawing, model

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Layer
from interlock.events.verdict import Verdict, Vote, deny
from interlock.permissions.judge import PermissionTable
from interlock.policy.load import load_policy

votes = st.sampled_from(Vote)
judges = st.lists(st.builds(model.Rule, matcher=drawing.matchers, vote=st.integers(0, 3)), max_size=6)
PROFILE = settings(max_examples=150, deadline=None)


def decide(rules: list[model.Rule], layers: tuple[model.Table, ...], call: model.Call) -> Decision:
    return drawing.built_engine(rules, layers).decide_sync(drawing.built_event(call))


def by_layers(layers: tuple[model.Table, ...], call: model.Call) -> Vote:
    rules = [model.Rule(layer=layer) for layer in range(len(layers))]
    return decide(rules, layers, call).vote


@PROFILE
@given(judges, drawing.calls, st.randoms(use_true_random=False), st.integers(0, 5))
def test_order_and_duplicates_of_judges_do_not_matter(
    rules: list[model.Rule], call: model.Call, random: Any, doubled: int
) -> None:
    """The vote of a policy of pure judges depends on which they are, not where or how often they stand."""
    shuffled = [*rules, *rules[:doubled]]
    random.shuffle(shuffled)

    assert decide(rules, (), call).vote is decide(shuffled, (), call).vote


@PROFILE
@given(drawing.chains, drawing.calls, drawing.matchers, st.data())
def test_adding_a_deny_never_permits_more(
    rules: list[model.Rule], call: model.Call, matcher: tuple[str, ...] | None, data: st.DataObject
) -> None:
    """Wherever a deny hook is put, the vote only gets stricter."""
    place = data.draw(st.integers(0, len(rules)))
    more = [*rules[:place], model.Rule(matcher=matcher, vote=model.DENY), *rules[place:]]

    assert decide(more, (), call).vote >= decide(rules, (), call).vote


@PROFILE
@given(drawing.tables.filter(bool), drawing.calls, drawing.globs)
def test_adding_a_deny_pattern_never_permits_more(table: model.Table, call: model.Call, glob: str) -> None:
    """The same for the deny list of every entry."""
    stricter = tuple(
        (actor, model.Lists(one.allow, (*one.deny, glob), one.delegates)) for actor, one in table
    )

    assert by_layers((stricter,), call) >= by_layers((table,), call)


@pytest.mark.deep
@PROFILE
@given(drawing.layers, drawing.tables, drawing.calls)
def test_adding_a_layer_never_permits_more(
    layers: tuple[model.Table, ...], added: model.Table, call: model.Call
) -> None:
    """Whoever the layer added lists, and whatever it allows them."""
    after, before = by_layers((*layers, added), call), by_layers(layers, call)
    assert max(after, Vote.ALLOW) >= max(before, Vote.ALLOW)


@pytest.mark.deep
@settings(PROFILE, max_examples=80)
@given(drawing.tables, drawing.tables, drawing.calls)
def test_adding_a_project_file_never_permits_more(
    user: model.Table, project: model.Table, call: model.Call
) -> None:
    """The same for files as they are loaded, from the user's and a project's."""
    with tempfile.TemporaryDirectory() as folder:
        files = [
            (Layer.USER, drawing.written_file(Path(folder, "user.key"), user)),
            (Layer.PROJECT, drawing.written_file(Path(folder, "project.key"), project)),
        ]
        event = drawing.built_event(call)
        alone, both = (
            Engine(load_policy(some, environ={}).hooks).decide_sync(event).vote for some in (files[:1], files)
        )
    assert max(both, Vote.ALLOW) >= max(alone, Vote.ALLOW)


@pytest.mark.deep
@PROFILE
@given(drawing.commands, drawing.patterns_or_tool)
def test_deny_by_default(command: str, allow: tuple[str | None, ...]) -> None:
    """An actor with an allow list may do what it covers and nothing else."""
    written = [drawing._written(glob) for glob in allow]
    table = PermissionTable([entry("agent:main", allow=written)])
    vote = Engine(enforcing(table)).decide_sync(bash(command)).vote

    assert (vote is Vote.ALLOW) is model.allows(allow, command)
    assert vote in {Vote.ALLOW, Vote.DENY} or "@P" in command


@PROFILE
@given(
    st.sampled_from(
        [
            "echo $({}",
            "echo `{}",
            "({}",
            "{} > f",
            "echo ${{{}@P}}",
            "if {}; then x",
            "$X {}",
            "{} '",
            "eval $x; {}",
        ]
    ),
    drawing.commands,
    st.lists(drawing.globs, min_size=1, max_size=4),
)
def test_unread_is_never_allowed_by_a_glob(frame: str, command: str, globs: list[str]) -> None:
    """No set of globs, however wide, covers text that was not accounted for."""
    event = bash(frame.format(command))

    assert not allowed(event, *(f"Bash({glob})" for glob in [*globs, "**", "*?*"]))


@PROFILE
@given(drawing.chains, drawing.calls, drawing.globs)
def test_a_revised_input_is_always_judged_again(rules: list[model.Rule], call: model.Call, glob: str) -> None:
    """A deny hook in front holds against whatever the chain makes of the input, granted or not."""
    guard = model.Rule(matcher=(glob,), vote=model.DENY)
    decision = decide([guard, *rules], (), call)
    final = (decision.updated_input or {"command": call.command})["command"]

    if model.denies((glob,), final):
        assert decision.denied
        assert not decision.auto_approve


@PROFILE
@given(drawing.chains, drawing.calls)
def test_a_grant_is_for_the_final_input(rules: list[model.Rule], call: model.Call) -> None:
    """Whatever was approved before a change, approval of the result needs an entry that covers it."""
    decision = decide(rules, (), call)
    final = (decision.updated_input or {"command": call.command})["command"]
    grants = [rule for rule in rules if rule.auto and rule.vote == model.ALLOW]

    if decision.auto_approve:
        assert any(rule.matcher is None or model.allows(rule.matcher, final) for rule in grants)


@PROFILE
@given(drawing.chains, drawing.calls, st.data())
def test_shadow_changes_nothing(rules: list[model.Rule], call: model.Call, data: st.DataObject) -> None:
    """A shadow hook anywhere leaves everything but the trace as it was."""
    place = data.draw(st.integers(0, len(rules)))
    shadow = model.Rule(vote=data.draw(st.integers(0, 3)), shadow=True, auto=data.draw(st.booleans()))
    with_it, without = decide([*rules[:place], shadow, *rules[place:]], (), call), decide(rules, (), call)

    fields = ("vote", "reason", "updated_input", "auto_approve", "context", "messages", "open_passes")
    assert all(getattr(with_it, name) == getattr(without, name) for name in fields)


@PROFILE
@given(st.lists(votes, max_size=6), st.sampled_from(["PostToolUse", "PostToolUseFailure", "Notification"]))
def test_votes_after_the_fact_never_count(given_votes: list[Vote], name: str) -> None:
    """Whatever hooks vote there, all of them run and nothing is decided."""
    hooks = [hook(Verdict(vote=vote, reason="r", context="c"), events=(name,)) for vote in given_votes]
    decision = Engine(hooks).decide_sync(bash("ls", name=name))

    assert (decision.vote, decision.reason) == (Vote.ABSTAIN, None)
    assert len(decision.trace) == len(decision.context) == len(hooks)


@PROFILE
@given(st.lists(votes, max_size=6))
def test_only_the_first_deny_ends_a_chain(given_votes: list[Vote]) -> None:
    """Every hook up to the first deny runs, none behind it; an allow ends nothing."""
    says = [Says(Verdict(vote=vote, reason="r")) for vote in given_votes]
    Engine([hook(one) for one in says]).decide_sync(bash("ls"))

    until = given_votes.index(Vote.DENY) + 1 if Vote.DENY in given_votes else len(says)
    assert [len(one.shown) for one in says] == [1] * until + [0] * (len(says) - until)


@PROFILE
@given(st.text(max_size=40), st.text(max_size=10))
def test_no_text_breaks_a_decision(command: str, path: str) -> None:
    """Any characters in a command, a path or a folder give a decision, never an error."""
    table = PermissionTable([entry("agent:main", allow=["Bash(git *)", "Write(src/*)"], deny=["Bash(rm *)"])])
    engine = Engine(enforcing(table))
    for event in (
        bash(command),
        write(command, cwd=path),
        write(path, cwd="/" + command),
    ):
        assert engine.decide_sync(event).vote in set(Vote)


@pytest.mark.req("C51")
@PROFILE
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=6))
def test_changes_build_on_each_other(steps: list[tuple[str, str]]) -> None:
    """The final input is the steps applied in order, and a guard in front sees it."""
    expected = "a b c"
    for old, new in steps:
        expected = expected.replace(old, new)
    guard = Says(
        lambda event: deny("b") if event.tool and "b b b" in event.tool.input["command"] else Verdict()
    )
    hooks = [hook(guard), *(hook(rewriting(old, new)) for old, new in steps)]
    decision = Engine(hooks).decide_sync(bash("a b c"))

    assert decision.denied is (expected == "b b b")
    if not decision.denied:
        assert (decision.updated_input or {"command": "a b c"})["command"] == expected
