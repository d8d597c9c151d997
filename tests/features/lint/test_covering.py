"""Whether one pattern leaves nothing for another."""

from __future__ import annotations

import pytest

from interlock.events.hook import PatternList
from interlock.features.lint.contradictions import denial_covers, forbids, matcher_covers
from interlock.features.lint.policy_files import sample_calls, view_of
from interlock.patterns.matcher import parse_matcher, parse_pattern

COVERED = [
    ("Bash", "Bash(rm *)"),
    ("Bash(rm *)", "Bash(rm -rf *)"),
    ("Bash(git push *)", "Bash(git push --force)"),
    ("Write(src/*)", "Write(src/a/*)"),
    ("Write(src/**)", "Write(src/a.py)"),
    ("write(src/**)", "write(src/a/*)"),
    ("network(*.example.com)", "network(a.example.com)"),
    ("Agent", "Task(executor)"),
    ("unread(*)", "unread(open)"),
    ("Bash(description:*)", "Bash(description:x)"),
]
NOT_COVERED = [
    ("Bash(rm -rf *)", "Bash(rm *)"),
    ("Bash(rm -r*)", "Bash(rm -rf *)"),  # `rm -f -r x` is caught by the second alone
    ("Bash(git push origin *)", "Bash(git push *)"),
    ("Write(src/*)", "Edit(src/*)"),
    ("Write(src/*)", "write(src/*)"),
    ("Bash(description:*)", "Bash(x)"),
    ("Read(~/x)", "Read(x)"),
    ("unread(open)", "unread(code)"),
    ("unread(open)", "unread(*)"),
]


@pytest.mark.parametrize(("wide", "narrow"), COVERED)
def test_a_wider_deny_covers_a_narrower(wide: str, narrow: str) -> None:
    """Every call the narrow one describes is met by the wide one too."""
    one, other = parse_pattern(wide), parse_pattern(narrow)

    assert denial_covers(one, other)
    for call in sample_calls(other):
        if view_of(call, [other]).denied(PatternList([other])):
            assert view_of(call, [one]).denied(PatternList([one])), call


@pytest.mark.parametrize(("wide", "narrow"), NOT_COVERED)
def test_what_is_not_certain_is_not_claimed(wide: str, narrow: str) -> None:
    """A deny that may catch more is not called covered."""
    assert not denial_covers(parse_pattern(wide), parse_pattern(narrow))


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        ("*", "Bash|Write", True),
        ("Bash|Write", "Write(x)|Bash(ls)", True),
        ("Bash", "Bash|Write", False),
        ("Bash", "*", False),
        ("Bash", "Ba*", False),
        ("/x/", "/x/", True),
    ],
)
def test_a_matcher_covers_another_when_each_alternative_is_covered(
    wide: str, narrow: str, covered: bool
) -> None:
    """All of the narrow one must be met, by whichever part of the wide one."""
    assert matcher_covers(parse_matcher(wide), parse_matcher(narrow)) is covered


@pytest.mark.parametrize(
    ("denied", "allowed", "stops"),
    [
        ("Bash(git push *)", "Bash(git push)", True),
        ("Bash(git push *)", "Bash(git push origin *)", True),
        ("Bash(git push *)", "Bash(git *)", False),
        ("write(src/**)", "Edit(src/a.py)", True),
        ("write(*)", "Write(src/*)", True),
        ("write(src/**)", "Write(docs/*)", False),
        ("read(*)", "Write(x)", False),
        ("Bash(*rm*)", "Bash(rm *)", True),
    ],
)
def test_a_deny_forbids_what_an_allow_speaks_of(denied: str, allowed: str, stops: bool) -> None:
    """An allow is in vain only if all of it is denied."""
    assert forbids(parse_pattern(denied), parse_pattern(allowed)) is stops
