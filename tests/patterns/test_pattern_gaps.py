"""Denied words in text that could not be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import patterns

from interlock.effects.command import Gap, GapKind
from interlock.patterns.command_globs import denied_in
from interlock.patterns.index import PatternIndex


def found(text: str, *globs: str) -> dict[str, str]:
    book = PatternIndex(patterns(*globs))
    about = book.about("Bash")
    gap = Gap(kind=GapKind.CODE, why="code", text=text)
    return denied_in(
        [gap], about.globs(None) if about else None, about.forms if about else None, book.effects
    )


@pytest.mark.parametrize(
    ("text", "glob", "expected"),
    [
        ('os.system("rm -rf build")', "Bash(rm -rf *)", True),
        ('run(["rm", "-r", "--force", x])', "Bash(rm -rf *)", True),
        ('run(["/bin/rm", "-fr"])', "Bash(rm -rf *)", True),
        ("`rm -rf x`", "Bash(rm -rf *)", True),
        ("!rm -rf x", "Bash(rm -rf *)", True),
        ("ls\x00rm -rf x", "Bash(rm -rf *)", True),
        (r'system("ls\nrm -rf x")', "Bash(rm -rf *)", True),
        ('os.system("rm -r build")', "Bash(rm -rf *)", False),
        ("warm -rf", "Bash(rm -rf *)", False),
        ('system("git push")', "Bash(git push)", True),
        ('system("git push origin")', "Bash(git push)", False),
        ('x = 1; system("git push -f")', "Bash(* --force)", True),
        ('system("a b --force c")', "Bash(* --force)", True),
        ("print(--forced)", "Bash(* --force)", False),
        ('open("/etc/passwd")', "read(/etc/*)", True),
        ('open("notes")', "read(/etc/*)", False),
        ('open("notes")', "read(*)", False),
        ('get("a.example.com")', "network(*.example.com)", True),
        ("total / count", "delete(~/x/**)", False),
        ("os.listdir('/')", "delete(~/x/**)", False),
        ("rmtree('/srv')", "delete(/srv/x/**)", True),
    ],
)
def test_each_word_may_begin_a_denied_command(text: str, glob: str, expected: bool) -> None:
    """In quotes, in brackets, in lists of words."""
    assert bool(found(text, glob)) is expected


def test_behind_many_words_the_name_is_enough() -> None:
    """What is too long to be tried word by word is denied where a denied program is named."""
    assert found("x " * 3_000 + "rm", "Bash(rm -rf *)") == {"Bash(rm -rf *)": "rm"}
    assert found("x " * 3_000 + "--force", "Bash(* --force)") == {"Bash(* --force)": "--force"}
    assert found("x " * 3_000 + "warm", "Bash(rm -rf *)") == {}


@settings(max_examples=100, deadline=None)
@given(st.text("ab -'\"()[],;\n", max_size=20), st.text("ab -'\"()[],;\n", max_size=20))
def test_what_stands_around_hides_nothing(before: str, after: str) -> None:
    """Quoted by whatever, the words are found."""
    assert found(f"{before} 'rm -rf x' {after}", "Bash(rm -rf *)")
