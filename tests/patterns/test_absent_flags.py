"""Flags that a denied command must not have: `Bash(git restore !--staged *)`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import bash, denied

FLAGS = ("--force", "--dry-run", "--staged", "--verbose", "-n", "-f", "-S", "-q")
WORDS = ("origin", "main", "+main", ".", "src/a.py", "--", "&&", "git", "push", "'--dry-run'", "$X")
PATTERNS = ("git push", "git push --force", "git restore", "npm publish", "git", "make", "git push *")


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("Bash(git restore !--staged *)", "git restore ."),
        ("Bash(git restore !--staged *)", "git restore --source=HEAD~1 src"),
        ("Bash(git restore !--staged *)", "git restore --staged a && git restore b"),
        ("Bash(git restore !--staged *)", "git restore -- --staged"),
        ("Bash(npm publish !--dry-run *)", "cd lib && npm publish --access public"),
        ("Bash(git push --force !--dry-run *)", "git push -f origin main"),
        ("Bash(git push !--dry-run * +*)", "git push origin +main"),
        ("Bash(git push --force !--dry-run *)", "python -c \"os.system('git push -f')\""),
    ],
)
def test_a_command_without_the_flag_is_met(pattern: str, command: str) -> None:
    """Each command by itself, in one form, also in unread text."""
    assert denied(pattern, bash(command))


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("Bash(git restore !--staged *)", "git restore --staged ."),
        ("Bash(git restore !--staged *)", "cd lib && git restore -S ."),
        ("Bash(git restore !--staged *)", "git restore -qS ."),
        ("Bash(git restore !-S *)", "git restore --staged ."),
        ("Bash(git push --force !--dry-run *)", "git push -fn origin main"),
        ("Bash(git push !--dry-run !--verbose *)", "git push --verbose"),
        ("Bash(make !--dry-run *)", "git status"),
    ],
)
def test_a_command_with_the_flag_is_not(pattern: str, command: str) -> None:
    """Under any of its names, alone or joined with others."""
    assert not denied(pattern, bash(command))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(PATTERNS),
    st.sampled_from(FLAGS),
    st.sampled_from(("git push", "git restore", "npm publish", "make", "sudo git push")),
    st.lists(st.sampled_from(FLAGS + WORDS), max_size=6),
)
def test_an_absent_flag_never_matches_more(pattern: str, flag: str, start: str, words: list[str]) -> None:
    """What a pattern with `!--x` in it meets, the pattern without it meets as well."""
    event = bash(" ".join((start, *words)))

    if denied(f"Bash({pattern} !{flag})", event):
        assert denied(f"Bash({pattern})", event)
