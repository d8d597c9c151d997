"""YAML is read with lines, and refused where it could hide what a rule means."""

from __future__ import annotations

from itertools import pairwise

import pytest

from interlock.errors import ConfigError, Problem
from interlock.policy.files.document import Node
from interlock.policy.files.yaml import read_yaml


def refused(text: str) -> Problem:
    with pytest.raises(ConfigError) as caught:
        read_yaml(text, "genesis.key")
    (problem,) = caught.value.problems
    return problem


def at(node: Node | None, *path: str | int) -> Node:
    for step in path:
        assert node is not None
        assert isinstance(node.value, dict | list)
        node = node.value[step]  # type: ignore[index] # a test knows its own tree
    assert node is not None
    return node


def test_every_value_has_the_line_of_its_key() -> None:
    """A value below a key has the key's line; a list item has its own."""
    root = read_yaml('version: "2.0"\nhooks:\n  stop:\n    - type: deny\n    - type: >\n        text\n', "g")

    assert at(root, "version").line == 1
    assert at(root, "hooks", "stop").line == 3
    assert at(root, "hooks", "stop", 1, "type").line == 5
    assert at(root, "hooks", "stop", 1, "type").value == "text\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: &x 1\nb: *x", 1, "the anchor `&x` is not accepted"),
        ("b: *x", 1, "the alias `*x` is not accepted"),
        ("a: 1\n<<: {b: 1}", 2, "the merge key `<<` is not accepted"),
        ("a: 1\nb: 2\na: 3", 3, "the key `a` is already written on line 1"),
        ("a: 1\n---\nb: 2", 2, "a second document starts here"),
        ("a: !python/object:os.system x", 1, "the tag `!python/object:os.system` is not accepted"),
        ("x: 1\n1: 2", 2, 'found the number `1`; put it in quotes: `"1"`'),
        ("on: 2", 1, "found the boolean `on`"),
        ("? [a]\n: 1", 1, "a mapping or list cannot be a key"),
        ("a: [1, {b: .inf}]", 1, "`.inf` is not a finite number"),
        ("a: 0b_", 1, "`0b_` is not a number"),
        ("a: 1\n\tb: 2", 2, "invalid YAML"),
        ("a: 'open", 1, "invalid YAML: found unexpected end of stream; close the quotes"),
        ("a: *", 1, "put a value that starts with `*` or `&` in quotes"),
        ("a: @b", 1, "put the value in quotes, and indent with spaces"),
        ("a: b: c", 1, "correct the indentation, or put a value that contains `: ` in quotes"),
        (r'a: "\d"', 1, "put a value that contains `\\` in single quotes"),
        ("a: 1\nb: \x01", 2, "a character that YAML does not allow"),
    ],
)
def test_what_can_hide_a_rule_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    """Anchors, tags, doubled keys and broken syntax name their line."""
    problem = refused(text)

    assert problem.line == line
    assert words in problem.message


def test_an_alias_bomb_is_refused_before_anything_grows() -> None:
    """The first anchor ends the reading."""
    bomb = "a: &a [x, x]\n" + "".join(f"{c}: &{c} [*{p}, *{p}]\n" for p, c in pairwise("abcdefghi"))

    assert "anchor" in refused(bomb).message


@pytest.mark.parametrize("text", ["[" * 100_000, "".join(f"{' ' * n}a:\n" for n in range(100))])
def test_deep_nesting_is_refused(text: str) -> None:
    """Depth is capped before it can exhaust anything."""
    assert "nested deeper than 64 levels" in refused(text).message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("0x10", 16),
        ("1:30", 90),
        ("2024-01-01", "2024-01-01"),
        ("2024-13-45", "2024-13-45"),
        ("'1'", "1"),
        ("1:" * 50_000 + "1", "1:" * 50_000 + "1"),
    ],
)
def test_plain_words_become_values(text: str, value: object) -> None:
    """Booleans and numbers are read as YAML says; dates and very long words stay text."""
    assert at(read_yaml(f"a: {text}", "g"), "a").value == value


@pytest.mark.parametrize("text", ["", "\n# only a comment\n"])
def test_nothing_in_a_file_is_none(text: str) -> None:
    """A file without a document has no tree."""
    assert read_yaml(text, "g") is None
