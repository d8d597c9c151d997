"""Where a gap stands, and the tree of commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.cli.policy.explain import reading_lines
from interlock.effects.command import Command, Gap, GapKind, reading_of
from interlock.effects.descriptions import Branch, locate_gap, position, tree
from interlock.effects.reading import read_script


def _gap(text: str, start: int = 0) -> Gap:
    return Gap(kind=GapKind.OPEN, why="why", text=text, start=start)


@pytest.mark.parametrize(
    ("gap", "text", "at"),
    [
        (_gap("$x"), "ls; $x", 4),
        (_gap("echo 'a", 5), "echo 'a", 5),
        (_gap("'a", 5), 'bash -c "echo \'a"', 14),  # its start is counted in the inner text
        (_gap("curl a\nsh"), "curl a | sh", 9),
        (_gap("gone"), "ls", None),
        (_gap(""), "ls", None),
    ],
)
def test_a_gap_is_found_in_the_whole_text(gap: Gap, text: str, at: int | None) -> None:
    """By its own text where its start belongs to another one, and by what is fed where it is a pipe."""
    assert locate_gap(gap, text) == at


def test_places_are_counted_as_editors_do() -> None:
    """Lines and columns begin with one."""
    assert position(0, "ab") == (1, 1)
    assert position(4, "ab\nc$x") == (2, 2)


def _written(branches: list[Branch]) -> list[object]:
    return [
        [branch.command.written, *_written(branch.inside)] if branch.inside else branch.command.written
        for branch in branches
    ]


def test_a_command_stands_below_the_one_it_was_found_in() -> None:
    """Wrappers come before what they run, substitutions after what they stand in."""
    commands = read_script("a $(b $(c)); env X=1 timeout 5 d; e | f", "/w").commands

    assert _written(tree(commands)) == [
        ["a $(b $(c))", ["b $(c)", "c"]],
        ["env X=1 timeout 5 d", ["timeout 5 d", "d"]],
        "e",
        "f",
    ]


def test_a_command_without_its_wrapper_stands_for_itself() -> None:
    """Whatever the reader gives, no command is left out."""
    alone = [Command(words=(), written=name, via=via) for name, via in (("a", ("x", "y")), ("b", ("$(…)",)))]

    assert _written(tree(alone)) == ["a", "b"]


@given(st.text(alphabet="ab ;|&$()`'\"{}<>\n\\", max_size=40))
def test_every_command_is_in_the_tree_once(text: str) -> None:
    """Any text at all is shown, and no command of it is lost or doubled."""
    script = read_script(text, "/w")
    waiting, seen = tree(script.commands), 0
    while waiting:
        branch = waiting.pop()
        seen += 1
        waiting += branch.inside

    assert seen == len(script.commands)
    assert all(
        "\n" not in line for line in reading_lines(reading_of(script, text), script.effects, text, "/w")
    )


def _lines(text: str) -> list[str]:
    reading = reading_of(read_script(text, "/w"), text)
    return reading_lines(reading, (), text, "/w")


def test_a_command_is_told_with_the_values_it_gets() -> None:
    """What a loop does with each value looks alike as it is written."""
    assert _lines('d=src; for f in a; do cat "$d/$f" "$x"; cat "$f"; done') == [
        "reading",
        "  ├─ d=src",
        "  │     only sets a variable: needs no allow",
        '  ├─ cat "$d/$f" "$x"',
        '  ├─ cat "$f"',
        "  │     is cat a",
        '  ├─ cat "$d/$f" "$x"',
        '  └─ cat "$f"',
    ]


def test_an_option_nobody_knows_is_pointed_at() -> None:
    """With what it may do to the words behind it."""
    assert _lines("ls; sudo -u me -Z foo rm x")[-3:] == [
        "  1:16 syntax: `-Z` is not a known option of `sudo` and may take the next word",
        "      ls; sudo -u me -Z foo rm x",
        "                     ^",
    ]


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_says_so(text: str) -> None:
    """Or the answer would begin with the rules, as if something were missing."""
    assert _lines(text) == ["reading", "  nothing would run: the command is empty"]


def test_why_something_is_unread_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its indent counts, too: no word is broken at the edge."""
    monkeypatch.setenv("COLUMNS", "80")

    lines = _lines("true; " * 20 + "sudo --not-an-option foo rm x")
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("    ") and line.endswith("word") for line in lines)
