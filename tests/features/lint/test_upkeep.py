"""Rules that work, and that a person should look at all the same."""

from __future__ import annotations

from pathlib import Path

from tests.features.lint.linted import codes, hooks, linted, lists

from interlock.features.lint.cli import HookCounts
from interlock.features.lint.policy_files import Code, Weight

_ASK = '{name: no-push, type: ask, matcher: "Bash(git push *)"}'


def test_a_judge_that_can_fail_open_is_told(tmp_path: Path) -> None:
    """A command that is let pass when it crashes is not a wall."""
    text = '{name: judge, type: command, on_failure: open, config: {command: "true"}}'
    (finding,) = linted(tmp_path, hooks(text))

    assert (finding.code, finding.weight, finding.rule) == (Code.FAILS_OPEN, Weight.WARNING, "judge")
    assert codes(linted(tmp_path, hooks(text.replace("open", "closed")))) == []


def test_no_program_is_run_by_a_lint(tmp_path: Path) -> None:
    """Looking at a policy starts nothing it names."""
    ran = tmp_path / "ran"
    run = f'{{name: run, type: command, on_failure: closed, config: {{command: "touch {ran}"}}}}'
    linted(tmp_path, hooks(run, '{name: x, type: deny, matcher: "Bash(rm *)", config: {suggestion: "`ls`"}}'))

    assert not ran.exists()


def test_two_rules_of_one_name_are_told(tmp_path: Path) -> None:
    """Traces and tests name rules; names given by place are nobody's choice."""
    (finding,) = linted(tmp_path, hooks(_ASK, _ASK.replace("git push", "npm publish")))

    assert (finding.code, finding.line) == (Code.DUPLICATE, 5)
    unnamed = '{type: ask, matcher: "Bash(git push *)"}'
    assert codes(linted(tmp_path, hooks(unnamed, unnamed))) == []


def test_a_rule_that_no_recorded_call_has_met_is_told(tmp_path: Path) -> None:
    """Only rules without a match in the counted days are named, and only when the ledger was read."""
    file = str(tmp_path / "genesis.key")
    used = HookCounts(days=30, by_hook={("no-push", file): 2}, by_event={"PreToolUse": 9})
    unused = HookCounts(days=30, by_hook={("no-push", "other.key"): 2}, by_event={"PreToolUse": 9})

    assert codes(linted(tmp_path, hooks(_ASK))) == []
    assert codes(linted(tmp_path, hooks(_ASK), asked=used)) == []
    (finding,) = linted(tmp_path, hooks(_ASK), asked=unused)
    assert (finding.code, finding.message) == (
        Code.UNMATCHED,
        "not matched in 30 days (9 recorded events of its kind)",
    )


def test_an_only_approver_who_also_works_here_is_told(tmp_path: Path) -> None:
    """Nobody may approve their own, so such a question has no answer; a second name gives it one."""
    ann = "settings: {actors: {main: agent:main, subagents: {pair: human:ann}}}\n"
    asks = '{name: push, type: ask, matcher: "Bash(git push *)", config: {approvers: ["human:ann"]}}'
    (finding,) = linted(tmp_path, ann + hooks(asks))

    assert (finding.code, finding.weight, finding.rule) == (Code.LONE_APPROVER, Weight.WARNING, "human:ann")
    assert finding.message == (
        "human:ann is the only approver and also works here; nobody may approve their own work"
    )
    assert codes(linted(tmp_path, ann + hooks(asks.replace('ann"]', 'ann", "human:bo"]')))) == []
    assert codes(linted(tmp_path, hooks(asks))) == []
    scope = 'settings: {approval: {approvers: {"human:ann": "*"}}}\n'
    works = lists(allow=("Read",), actor="human:ann")
    assert Code.LONE_APPROVER in codes(linted(tmp_path, scope + works))
