"""Laws of `settings.work`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.features.work.settings import WORK, WorkNotify, WorkRules
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy


def loaded(tmp_path: Path, *files: tuple[Layer, str]) -> Policy:
    """The policy some files give together."""
    found = []
    for number, (layer, text) in enumerate(files):
        path = tmp_path / str(number) / "genesis.key"
        path.parent.mkdir(parents=True)
        path.write_text(f'version: "2.0"\nsettings:\n  work: {text}\n')
        found.append((layer, path))
    return load_policy(found, environ={})


def test_without_a_word_it_is_ten_calls_and_ninety_per_cent() -> None:
    """Nothing is killed, no session is gated and nobody is disturbed."""
    assert WORK.get(load_policy([], environ={})) == WorkRules(
        block_after=10,
        overflow_at=0.9,
        context_window=None,
        directive_grace=3,
        session_gate="off",
        kill_on_compaction=False,
        preload_bytes=65_536,
        notify=WorkNotify(desktop=False, bell=False, webhook=None),
    )


def test_coordinators_are_declared(tmp_path: Path) -> None:
    """By the managed and the user layer; for each agent the earlier word stands."""
    one = loaded(tmp_path / "one", (Layer.MANAGED, "{}\n  agents: {lead: {manages: [api, api, web]}}"))
    both = loaded(
        tmp_path / "both",
        (Layer.USER, "{}\n  agents: {lead: {manages: [api]}}"),
        (Layer.PROJECT, "{}\n  agents: {mole: {manages: [api]}}"),
    )

    assert WORK.get(one).manages == {"lead": ("api", "web")}
    assert (WORK.get(one).coordinator_of(["web"]), WORK.get(one).coordinator_of(["db"])) == ("lead", None)
    assert WORK.get(both).manages == {"lead": ("api",)}
    assert "only the managed or user layer may say who manages whom" in str(both.notices)
    with pytest.raises(ConfigError, match="`lead` cannot manage itself; remove it from its list"):
        loaded(tmp_path / "self", (Layer.USER, "{}\n  agents: {lead: {manages: [lead]}}"))


def test_every_part_can_be_said(tmp_path: Path) -> None:
    """Also `off`, which YAML takes for a truth value."""
    text = (
        "{block_after: 0, overflow_at: 0.8, context_window: 1000000, directive_grace: 0, session_gate: deny,"
        " kill_on_compaction: true, preload_bytes: 1, notify: {desktop: true, bell: true, webhook: 'http://x'}}"
    )
    assert WORK.get(loaded(tmp_path, (Layer.USER, text))) == WorkRules(
        block_after=0,
        overflow_at=0.8,
        context_window=1_000_000,
        directive_grace=0,
        session_gate="deny",
        kill_on_compaction=True,
        preload_bytes=1,
        notify=WorkNotify(desktop=True, bell=True, webhook="http://x"),
    )
    assert WORK.get(loaded(tmp_path / "b", (Layer.USER, "{session_gate: off}"))) == WorkRules()


def test_an_earlier_layers_word_stands(tmp_path: Path) -> None:
    """Setting by setting, also inside `notify`."""
    managed = (Layer.MANAGED, "{block_after: 5, notify: {bell: true}}")
    user = (Layer.USER, "{block_after: 50, overflow_at: 0.7, notify: {bell: false, desktop: true}}")
    rules = WORK.get(loaded(tmp_path, managed, user))
    assert (rules.block_after, rules.overflow_at) == (5, 0.7)
    assert rules.notify == WorkNotify(bell=True, desktop=True)


def test_a_project_says_nothing_here(tmp_path: Path) -> None:
    """It is told so, and the rest of its file counts."""
    policy = loaded(tmp_path, (Layer.PROJECT, "{block_after: 1000}"))
    assert WORK.get(policy) == WorkRules()
    (notice,) = policy.notices
    assert "only the managed or user layer may set this" in str(notice)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{block_after: -1}", "`-1` is less than 0"),
        ("{overflow_at: 1.5}", "`1.5` is more than 1"),
        ("{overflow_at: 0}", "`0` must be greater than 0"),
        ("{session_gate: ask}", "unknown value `ask`"),
        ("{block_afer: 3}", "unknown setting `block_afer`; did you mean `block_after`?"),
        ("{notify: {bel: true}}", "unknown setting `bel`; did you mean `bell`?"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    """With the nearest word where one was mistyped."""
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, (Layer.USER, text))
    assert said in str(caught.value)
