"""The engine and the model decide alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import drawing, model

from interlock.effects.reading import read_script
from interlock.events.verdict import Vote
from interlock.patterns.glob import GlobSet, command_denial_expression, glob_expression


@pytest.mark.deep
@settings(max_examples=400, deadline=None)
@given(drawing.chains, drawing.layers, drawing.calls, st.data())
def test_the_engine_decides_as_the_model(
    chain: list[model.Rule], layers: tuple[model.Table, ...], call: model.Call, data: st.DataObject
) -> None:
    """Vote, final command and grant agree for random chains, permissions and calls."""
    rules = list(chain)
    for layer in range(len(layers)):
        rules.insert(data.draw(st.integers(0, len(rules))), model.Rule(layer=layer))
    expected = model.decide(rules, layers, call)
    decision = drawing.built_engine(rules, layers).decide_sync(drawing.built_event(call))
    final = (decision.updated_input or {"command": call.command})["command"]

    assert (decision.vote, decision.auto_approve) == (Vote(expected.vote), expected.auto_approve)
    assert final == expected.command


@settings(max_examples=300, deadline=None)
@given(st.text("ab*? -", max_size=8), st.text("ab -\n", max_size=10))
def test_globs_match_as_the_model(glob: str, text: str) -> None:
    """One star at a time, from left to right, gives the same answer."""
    assert (GlobSet([("g", glob_expression(glob))]).hits(text) == ["g"]) is model.glob(glob, text)


@settings(max_examples=300, deadline=None)
@given(drawing.globs, drawing.commands)
def test_denied_commands_are_met_as_by_the_model(glob: str, command: str) -> None:
    """Final flags and final stars mean the same in both."""
    hit = GlobSet([("g", command_denial_expression(glob))]).hits(command) == ["g"]

    assert hit is model.meets(glob, command)


@settings(max_examples=200, deadline=None)
@given(drawing.commands)
def test_chains_are_split_as_by_the_model(command: str) -> None:
    """The reader's commands are the model's, each said once, and it knows what it cannot read."""
    script = read_script(command)

    assert [found.written for found in script.commands] == list(dict.fromkeys(model.parts(command)))
    assert bool(script.gaps) is ("@P" in command)


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [("a*b?", "axxbc", True), ("a*b?", "axxb", False), ("", "", True), ("*", "", True), ("?", "", False)],
)
def test_the_model_itself_is_right(glob: str, text: str, expected: bool) -> None:
    """A model nobody checked would only repeat a mistake."""
    assert model.glob(glob, text) is expected
    assert model.meets("git push *", "git push")
    assert model.meets("* --force", "git push --force origin")
    assert not model.meets("* --force", "git push --forced")
