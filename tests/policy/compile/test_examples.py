"""A rule's examples are checked whenever it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import ConfigError, Problem
from interlock.events.hook import Layer
from interlock.policy.load import load_policy


def problems(folder: Path, matcher: str, match: str = "[]", no_match: str = "[]") -> tuple[Problem, ...]:
    path = folder / "genesis.key"
    path.write_text(
        f"version: '2.0'\nhooks:\n  pre_tool_use:\n    - type: deny\n      matcher: {matcher}\n"
        f"      examples:\n        match: {match}\n        no_match: {no_match}\n"
    )
    try:
        load_policy([(Layer.USER, path)], environ={})
    except ConfigError as error:
        return error.problems
    return ()


@pytest.mark.parametrize(
    ("matcher", "match", "no_match"),
    [
        ("Bash(rm -rf *)", "['rm -rf /', rm -rf x]", "[rm a.txt, ls]"),
        ("Write(.env*)", "[.env, .env.local]", "[src/env.py]"),
        ("Write|Edit", "[{tool: Write, args: a}, {tool: Edit, input: {file_path: a}}]", "[{tool: Read}]"),
        ("'*'", "[{tool: Anything}]", "[]"),
        ("mcp__x__y", "[{tool: mcp__x__y, input: {q: 1}}]", "[{tool: mcp__x__z}]"),
        ("'Bash(a *)|Write(b)'", "[a 1, {tool: Write, args: b}]", "[b 1]"),
        ("'write(.env)'", "[echo A=1 > .env, {tool: Write, args: .env}]", "[cat .env]"),
        ("['Bash(a *)', 'delete(b)']", "[a 1, rm b]", "[rm c]"),
    ],
)
def test_true_examples_load(tmp_path: Path, matcher: str, match: str, no_match: str) -> None:
    """A text stands for the single tool's argument, else for a command; a mapping names its tool."""
    assert problems(tmp_path, matcher, match, no_match) == ()


@pytest.mark.parametrize(
    ("matcher", "match", "no_match", "words"),
    [
        ("Bash(rm *)", "[ls]", "[]", "the example `ls` is not matched by `Bash(rm *)`; correct the matcher"),
        ("Bash(rm *)", "[]", "[rm x]", "the example `rm x` is matched by `Bash(rm *)`"),
        ("Write|Edit", "[a]", "[]", "the example `a` is not matched by `Write|Edit`"),
        ("mcp__x__y", "[a]", "[]", "the main argument of `mcp__x__y` is not known"),
        ("Bash", "[{tool: Bash, args: a, input: {}}]", "[]", "keep one of them"),
    ],
)
def test_a_false_example_is_a_problem_at_its_line(
    tmp_path: Path, matcher: str, match: str, no_match: str, words: str
) -> None:
    """A rule that does not do what its examples say does not load."""
    (problem,) = problems(tmp_path, matcher, match, no_match)
    key, line = ("match", 7) if match != "[]" else ("no_match", 8)

    assert (problem.line, problem.path) == (line, f"hooks.pre_tool_use[0].examples.{key}[0]")
    assert words in problem.message


CONDITIONED = (
    'version: "2.0"\nhooks:\n  pre_tool_use:\n'
    '    - {type: deny, matcher: Bash(cut *), if: "%s", examples: {match: [cut %s], no_match: [cut %s]}}\n'
)


@pytest.mark.parametrize(
    ("condition", "match", "no_match", "problem"),
    [
        ("tool.input.command.contains('deep')", "deep", "flat", ""),
        ("tool.input.command.contains('deep')", "flat", "flat", "the example `cut flat` is not matched"),
        ("tool.input.command.contains('deep')", "deep", "deep", "the example `cut deep` is matched"),
        ("actor == 'agent:x'", "deep", "flat", ""),  # an example has no actor
    ],
)
def test_an_example_is_held_against_the_condition_too(
    tmp_path: Path, condition: str, match: str, no_match: str, problem: str
) -> None:
    """Where the condition speaks of the call alone; an example says nothing of anything else."""
    file = tmp_path / "genesis.key"
    file.write_text(CONDITIONED % (condition, match, no_match))
    try:
        load_policy([(Layer.USER, file)], environ={})
        said = ""
    except ConfigError as error:
        said = str(error)

    assert (problem in said, bool(said)) == (True, bool(problem))
