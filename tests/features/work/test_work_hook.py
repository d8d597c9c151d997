"""The hook `work`: thin, and silent where nobody keeps the work."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.builders import bash

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.hook import CallView, Hook, Layer, OnFailure
from interlock.events.verdict import NO_OPINION, Outcome, Verdict, Vote, deny
from interlock.features.work.hook import EVENTS
from interlock.features.work.service import WorkService
from interlock.policy.hook_kind import HookServices
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy


@dataclass
class Book:
    """A book that answers what it is told to."""

    answer: Verdict = NO_OPINION
    wanted: bool = True
    seen_: list[str] = field(default_factory=list)

    def concerns(self, event: Event) -> bool:
        return self.wanted

    def handle(self, view: CallView) -> Verdict:
        self.seen_.append(view.event.name)
        return self.answer


def policy(tmp_path: Path, services: HookServices, packs: str = "[work]", hooks: str = "{}") -> Policy:
    """A user's policy."""
    file = tmp_path / "genesis.key"
    file.write_text(f'version: "2.0"\nsettings: {{packs: {packs}}}\nhooks: {hooks}\n')
    return load_policy([(Layer.USER, file)], environ={}, services=services)


def test_the_pack_has_one_hook_for_each_moment(tmp_path: Path) -> None:
    """Each with a name, bound to its own moment and failing open: it is no protection."""
    found = policy(tmp_path, HookServices()).hooks
    assert len(found) == len(EVENTS)
    assert {hook.handler.kind for hook in found} == {"work"}
    assert {hook.on_failure for hook in found} == {OnFailure.OPEN}


@pytest.mark.parametrize("name", ["heartbeat", "session-start", "compaction"])
def test_a_rule_of_the_pack_can_be_switched_off(tmp_path: Path, name: str) -> None:
    """By its name, the others stay."""

    def names(packs: str) -> set[str]:
        return {hook.name for hook in policy(tmp_path, HookServices(), packs).hooks}

    assert names("[work]") - names(f"{{work: {{{name}: off}}}}") == {f"work/{name}"}
    with pytest.raises(ConfigError, match="a `work` rule cannot ask"):
        names(f"{{work: {{{name}: ask}}}}")


def test_it_asks_the_book_and_votes_as_that_says(tmp_path: Path) -> None:
    """At a call; afterwards too, but there votes change nothing."""
    book = Book(answer=deny("heartbeat-block"))
    engine = Engine(policy(tmp_path, HookServices({WorkService: book})).hooks)
    decision = engine.decide_sync(bash("ls"))
    assert (decision.vote, decision.reason, decision.decided_by) == (
        Vote.DENY,
        "heartbeat-block",
        "work/heartbeat",
    )
    engine.decide_sync(bash("ls", name="PostToolUseFailure"))
    engine.decide_sync(bash("ls", name="PostToolUse"))
    assert book.seen_ == ["PreToolUse", "PostToolUseFailure", "PostToolUse"]


@pytest.mark.parametrize("services", [HookServices(), HookServices({WorkService: Book(wanted=False)})])
def test_where_there_is_nothing_to_do_it_leaves_no_trace(tmp_path: Path, services: HookServices) -> None:
    """Without a book, as in a Python agent's own engine, and in a session at work on nothing."""
    decision = Engine(policy(tmp_path, services).hooks).decide_sync(bash("ls"))
    assert (decision.vote, decision.trace) == (Vote.ABSTAIN, ())


def test_a_trial_counts_nothing(tmp_path: Path) -> None:
    """In shadow it would keep a state that nobody hears of."""
    book = Book()
    Engine(
        policy(tmp_path, HookServices({WorkService: book}), "{work: {heartbeat: shadow}}").hooks
    ).decide_sync(bash("ls"))
    assert book.seen_ == []


def test_a_matcher_of_its_entry_still_counts(tmp_path: Path) -> None:
    """Whoever writes an entry of his own may name tools."""
    book = Book()
    hooks = "{pre_tool_use: [{type: work, matcher: 'Bash(make *)'}]}"
    engine = Engine(policy(tmp_path, HookServices({WorkService: book}), "[]", hooks).hooks)
    engine.decide_sync(bash("ls"))
    assert book.seen_ == []
    engine.decide_sync(bash("make all"))
    assert book.seen_ == ["PreToolUse"]


def test_an_entry_elsewhere_is_a_mistake(tmp_path: Path) -> None:
    """There are moments the work has nothing to do with, and nothing to choose."""
    for hooks, said in (
        ("{file_changed: [{type: work}]}", "`work` has no effect at `file_changed`"),
        ("{stop: [{type: work, config: {after: 3}}]}", "unknown key `after`"),
    ):
        with pytest.raises(ConfigError) as caught:
            policy(tmp_path, HookServices(), "[]", hooks)
        assert said in str(caught.value)


def test_a_book_that_crashes_stops_no_call(tmp_path: Path) -> None:
    """The failure is in the trace, and the call passes."""

    class Broken(Book):
        def handle(self, view: CallView) -> Verdict:
            raise RuntimeError("no disk")

    hooks: tuple[Hook, ...] = policy(tmp_path, HookServices({WorkService: Broken()})).hooks
    decision = Engine(hooks).decide_sync(bash("ls"))
    assert (decision.vote, decision.trace[0].outcome, decision.open_passes) == (
        Vote.ABSTAIN,
        Outcome.ERROR,
        1,
    )
