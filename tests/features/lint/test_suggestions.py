"""Advice that the policy itself would stop."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.lint.linted import codes, hooks, linted, lists

from interlock.features.lint.policy_files import Code, Weight


def _advising(advice: str, kind: str = "deny") -> str:
    return f'{{name: no-rm, type: {kind}, matcher: "Bash(rm -rf *)", config: {{suggestion: "{advice}"}}}}'


@pytest.mark.parametrize(
    "advice",
    ["use `rm -rf ./build`", "`cd x && rm -fr y` is better", "first `ls`, then `sudo rm -r -f FILE`"],
)
def test_a_suggestion_that_would_be_denied_is_an_error(tmp_path: Path, advice: str) -> None:
    """Whoever follows it runs into the same wall."""
    (finding,) = linted(tmp_path, hooks(_advising(advice)))

    assert (finding.code, finding.weight, finding.rule) == (Code.SUGGESTION, Weight.ERROR, "no-rm")
    assert "denied by `no-rm`" in finding.message


def test_a_suggestion_that_would_be_asked_about_is_a_warning(tmp_path: Path) -> None:
    """An ask is not a wall, but worth knowing."""
    (finding,) = linted(tmp_path, hooks(_advising("`rm -rf x`", kind="ask")))

    assert (finding.code, finding.weight) == (Code.SUGGESTION, Weight.WARNING)


@pytest.mark.parametrize(
    "advice", ["`rm notes.txt`", "look into `.env.example`", "name the files", "`git rm FILE`"]
)
def test_a_suggestion_that_passes_is_left_alone(tmp_path: Path, advice: str) -> None:
    """Commands that pass, and backticks around what is not a command, are fine."""
    assert codes(linted(tmp_path, hooks(_advising(advice)))) == []


def test_another_rule_may_stop_the_advice(tmp_path: Path) -> None:
    """The whole policy is asked, not only the rule that advises."""
    other = '{name: no-trash, type: deny, matcher: "Bash(mv * trash*)"}'
    (finding,) = linted(tmp_path, hooks(_advising("`mv x trash/`"), other))

    assert "denied by `no-trash`" in finding.message


def test_guidance_is_tried_as_its_own_actor(tmp_path: Path) -> None:
    """What an actor is told to do must be what that actor may do."""
    text = lists(deny=("Bash(git push *)",), actor="agent:executor")
    (finding,) = linted(tmp_path, text + '      guidance: "ask, or `git push origin main`"\n')

    assert (finding.code, finding.rule, finding.line) == (Code.SUGGESTION, "agent:executor guidance", 7)


def test_lists_of_others_say_nothing_about_the_advice(tmp_path: Path) -> None:
    """A main actor whom no list names is not taken for one that may do nothing."""
    text = hooks(_advising("`rm notes.txt`")) + lists(allow=("Read(src/*)",), actor="agent:auditor")

    assert codes(linted(tmp_path, text)) == []
