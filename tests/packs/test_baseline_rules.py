"""The rules of the pack `baseline`: each is alive, explained, and offers something that passes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.builders import bash
from tests.packs.corpus import corpus, is_stopped

from interlock.engine.engine import Engine
from interlock.events.hook import Layer
from interlock.policy.files.read import PolicyText
from interlock.policy.format.kind_entry import KindEntry
from interlock.policy.load import load_policy
from interlock.policy.packs import find_pack

RULES = find_pack("baseline").rules
WORDED = {name: rule for name, rule in RULES.items() if rule.builtin.kind in {"ask", "deny"}}
COMMAND = re.compile(r"`([^`]+)`")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "baseline.md"
TABLE_ROW = re.compile(r"^\| `(?P<name>[a-z-]+)` \| (?P<vote>\w+) \| (?P<reason>.+) \| (?P<instead>.+) \|$")


# How the text goes on where the rule asks and nobody is there to answer.
TICKET = "To allow it, ask the user to run `interlock approve ap_100`, then try again."


def _config(rule: KindEntry) -> tuple[str, str]:
    assert rule.builtin.kind in {"ask", "deny"}
    return str(rule.config.reason), str(rule.config.suggestion)


@pytest.mark.parametrize("name", WORDED)
def test_a_rule_says_why_and_what_to_do_instead(name: str) -> None:
    """One sentence for the reason, and a suggestion with a command in it."""
    reason, suggestion = _config(WORDED[name])

    assert reason.endswith(".")
    assert reason.count(". ") == 0
    assert COMMAND.search(suggestion)


@pytest.mark.parametrize("name", WORDED)
def test_what_an_agent_reads_is_short_and_says_who_can(name: str) -> None:
    """The loss, what to do instead and, of a denial, who can do it all the same."""
    entry = f'version: "2.0"\nsettings: {{packs: {{baseline: {{{name}: deny}}}}}}\n'
    policy = load_policy(
        [(Layer.USER, PolicyText(shown=Path("genesis.key"), content=entry.encode()))], environ={}
    )
    [rule] = [one.handler for one in policy.hooks if one.name == f"baseline/{name}"]
    said = str(rule.fingerprint())

    assert said.endswith(". Only the user can run this, in a terminal of their own.")
    assert len(f"Tool denied: {said}") <= 300
    reason, suggestion = _config(WORDED[name])
    ticket = f"{reason} Instead: {suggestion}. {TICKET} (rule baseline/{name})"
    assert WORDED[name].builtin.kind == "deny" or len(f"Tool denied: {ticket}") <= 300


@pytest.mark.deep
@pytest.mark.parametrize("name", WORDED)
def test_what_a_rule_suggests_passes_the_pack(baseline: Engine, project: str, name: str) -> None:
    """Nobody is sent from one denial to the next."""
    _, suggestion = _config(WORDED[name])

    for command in COMMAND.findall(suggestion):
        decision = baseline.decide_sync(bash(command, cwd=project, project=project))
        assert not is_stopped(decision.vote), decision.reason


@pytest.mark.parametrize("name", WORDED)
def test_a_rule_shows_what_it_means_and_what_not(name: str) -> None:
    """Examples of both kinds, which are tried before a release."""
    assert WORDED[name].examples.match
    assert WORDED[name].examples.no_match


@pytest.mark.deep
def test_no_rule_is_dead(baseline: Engine, project: str) -> None:
    """Each is the voice of at least one hostile call."""
    spoken = {
        row.hook
        for call in corpus("hostile")
        for row in baseline.decide_sync(call.event(project)).trace
        if is_stopped(row.vote)
    }

    assert {f"baseline/{name}" for name in RULES} - spoken == set()


def test_the_page_lists_every_rule_as_it_is() -> None:
    """The table of docs/baseline.md has names, votes, reasons and suggestions of the pack, in its order."""
    found = [row.groupdict() for row in map(TABLE_ROW.match, PAGE.read_text().splitlines()) if row]

    assert [row["name"] for row in found] == list(WORDED)
    for row in found:
        rule = WORDED[row["name"]]
        vote = "deny" if rule.builtin.kind == "deny" else "ask"
        assert (row["vote"], row["reason"], row["instead"]) == (vote, *_config(rule))
