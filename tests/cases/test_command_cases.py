"""The ways around a command list, one row each, through the whole engine under one policy file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.builders import call

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Layer
from interlock.events.verdict import Vote
from interlock.policy.load import load_policy

DATA: Final = Path(__file__).with_name("data")
ROWS: Final[dict[str, list[dict[str, Any]]]] = tomllib.loads((DATA / "command_cases.toml").read_text("utf-8"))
FEWEST: Final = 10
# Nothing that is to be asked about may pass; a refusal is never the wrong side.
MET_BY: Final = {"allow": {Vote.ALLOW}, "ask": {Vote.ASK, Vote.DENY}, "deny": {Vote.DENY}}


@dataclass(frozen=True)
class Case:
    """One command and what it must come to."""

    command: str
    expected: str
    why: str
    says: str = ""  # words the reason holds
    tool: str = "Bash"
    or_allow: bool = False  # it may also be read whole and allowed


def _case(row: dict[str, Any]) -> Case:
    pieces = row.pop("pieces", None)
    if pieces is not None:
        row["command"] = "".join(text * times for text, times in pieces)
    return Case(**row)


CASES: Final = {name: [_case(row) for row in rows] for name, rows in ROWS.items()}


def rows_of(name: str) -> pytest.MarkDecorator:
    """The rows of one case as parameters."""
    return pytest.mark.parametrize("case", CASES[name], ids=lambda case: case.command[:40])


Judge = Callable[[Case], Decision]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Decide in a project of its own, as the policy file says."""
    project = tmp_path / "app"
    for folder in (".host", "src", "docs", "sub"):
        (project / folder).mkdir(parents=True)
    policy = load_policy([(Layer.USER, DATA / "policy.key")], environ={})
    engine = Engine(policy.hooks)

    def decide(case: Case) -> Decision:
        event = call(case.tool, tool_input={"command": case.command}, cwd=str(project), actor="agent:main")
        return engine.decide_sync(event)

    return decide


def hold(case: Case, judge: Judge) -> None:
    """Fail unless the decision is the expected one."""
    decision = judge(case)
    right = MET_BY[case.expected] | ({Vote.ALLOW} if case.or_allow else set())

    assert decision.vote in right, (
        f"{case.command[:200]!r} is {decision.outcome}: {decision.reason} ({case.why})"
    )
    assert case.says in (decision.reason or "")


@pytest.mark.req("C01")
@rows_of("C01")
def test_every_part_of_a_chain_is_judged(case: Case, judge: Judge) -> None:
    """No joint hides what stands after it, and the reason names it."""
    hold(case, judge)


@pytest.mark.req("C02")
@rows_of("C02")
def test_what_a_substitution_runs_is_judged(case: Case, judge: Judge) -> None:
    """At any depth, in any quote that lets it run."""
    hold(case, judge)


@pytest.mark.req("C03")
@rows_of("C03")
def test_an_expansion_that_can_run_code_is_never_allowed(case: Case, judge: Judge) -> None:
    """Not by the program that only prints it."""
    hold(case, judge)


@pytest.mark.req("C04")
@rows_of("C04")
def test_shells_inside_are_looked_through(case: Case, judge: Judge) -> None:
    """Known text is judged, unknown text is asked about."""
    hold(case, judge)


@pytest.mark.req("C05")
@rows_of("C05")
def test_code_for_interpreters_is_asked_about(case: Case, judge: Judge) -> None:
    """And denied where a denied program stands in it."""
    hold(case, judge)


@pytest.mark.req("C06")
@rows_of("C06")
def test_decoded_text_runs_nowhere(case: Case, judge: Judge) -> None:
    """Whatever decodes it and whatever would run it."""
    hold(case, judge)


@pytest.mark.req("C07")
@rows_of("C07")
def test_an_option_that_runs_or_deletes_outweighs_the_program(case: Case, judge: Judge) -> None:
    """An allow of `find` is one to look."""
    hold(case, judge)


@pytest.mark.req("C08")
@rows_of("C08")
def test_a_wrapper_is_as_good_as_what_it_runs(case: Case, judge: Judge) -> None:
    """Through every option, nested."""
    hold(case, judge)


@pytest.mark.req("C09")
@rows_of("C09")
def test_git_is_not_allowed_to_launch(case: Case, judge: Judge) -> None:
    """The rule for `git log` covers neither settings nor options that run or write."""
    hold(case, judge)


@pytest.mark.req("case:C10")
@rows_of("C10")
def test_a_variable_that_changes_programs_is_asked_about(case: Case, judge: Judge) -> None:
    """Before a command, alone, or by any builtin that sets it."""
    hold(case, judge)


@pytest.mark.req("case:C11")
@rows_of("C11")
def test_a_name_is_known_in_every_spelling(case: Case, judge: Judge) -> None:
    """What is settled is denied, what is not is asked about."""
    hold(case, judge)


@pytest.mark.req("case:C12")
@rows_of("C12")
def test_a_name_given_another_meaning_loses_its_allowance(case: Case, judge: Judge) -> None:
    """By alias, function, path, hash or handler."""
    hold(case, judge)


@pytest.mark.req("case:C13")
@rows_of("C13")
def test_a_rule_ends_at_a_word(case: Case, judge: Judge) -> None:
    """A longer word is another word."""
    hold(case, judge)


@pytest.mark.req("case:C14")
@rows_of("C14")
def test_known_dangerous_options_are_asked_about(case: Case, judge: Judge) -> None:
    """They run or write whatever their program is for."""
    hold(case, judge)


@pytest.mark.req("case:C15")
@rows_of("C15")
def test_a_redirect_is_a_write(case: Case, judge: Judge) -> None:
    """In every form the shell has."""
    hold(case, judge)


@pytest.mark.req("case:C16")
@rows_of("C16")
def test_paths_follow_the_folder(case: Case, judge: Judge) -> None:
    """A folder gone to counts, a folder nobody knows is asked about."""
    hold(case, judge)


@pytest.mark.req("case:C17")
@rows_of("C17")
def test_length_and_depth_hide_nothing(case: Case, judge: Judge) -> None:
    """Every part is judged; past a limit a denied token is enough."""
    hold(case, judge)


@pytest.mark.req("case:C18")
@rows_of("C18")
def test_line_joins_and_control_characters_hide_nothing(case: Case, judge: Judge) -> None:
    """Lines are joined as the shell joins them; other control characters are unread."""
    hold(case, judge)


@pytest.mark.req("case:C19")
@rows_of("C19")
def test_what_the_eye_misses_is_judged(case: Case, judge: Judge) -> None:
    """Far to the right, turned round, without width, or in letters that look like others."""
    hold(case, judge)


@pytest.mark.req("case:C20")
@rows_of("C20")
def test_what_is_no_whole_text_is_asked_about(case: Case, judge: Judge) -> None:
    """And the reason says that it cannot be read."""
    hold(case, judge)


@pytest.mark.req("case:C21")
@rows_of("C21")
def test_another_shells_language_is_not_read_as_this_one(case: Case, judge: Judge) -> None:
    """It is asked about."""
    hold(case, judge)


@pytest.mark.req("case:C22")
@rows_of("C22")
def test_a_denied_file_is_read_by_nobody(case: Case, judge: Judge) -> None:
    """Whatever reads it, wherever that goes."""
    hold(case, judge)


@pytest.mark.req("case:C23")
@rows_of("C23")
def test_harmless_commands_pass(case: Case, judge: Judge) -> None:
    """Words that look dangerous where they are only words."""
    hold(case, judge)


@pytest.mark.req("P09")
@rows_of("P09")
def test_a_protected_file_stays_protected_under_another_name(case: Case, judge: Judge) -> None:
    """Moving, copying or packing it reads it, and what an archive writes nobody knows."""
    hold(case, judge)


def test_every_case_has_enough_spellings() -> None:
    """All 23 cases are there, each with at least ten commands, none twice."""
    assert list(CASES) == [*(f"C{number:02}" for number in range(1, 24)), "P09"]
    for name, cases in CASES.items():
        assert len({case.command for case in cases}) == len(cases) >= FEWEST, name
