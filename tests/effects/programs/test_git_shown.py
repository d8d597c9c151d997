"""Which files' content a git command shows."""

from __future__ import annotations

import pytest

from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_call, read_effects
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS


def shown(command: str) -> list[str]:
    """The paths that a command reads, as a policy sees them."""
    call, spec = ToolCall(name="Bash", input={"command": command}), STANDARD_TOOLS.spec("Bash")
    reading = read_call(call, spec, "/w", "/w")
    effects = read_effects(reading, call, spec, "/w", "/w")
    return [effect.target for effect in effects if effect.kind is EffectKind.READ]


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("git show HEAD:.env", [".env"]),
        ("git show main:a/b.txt HEAD~2:./c", ["a/b.txt", "./c"]),
        ("git show :.env", [".env"]),
        ("git show :0:.env", [".env"]),
        ("git show 'stash@{1}:.env'", [".env"]),
        ("git show --stat HEAD:.env", [".env"]),
        ("git -C sub --no-pager show HEAD:.env", [".env"]),
        ("git log -p -- .env src", [".env", "src"]),
        ("git log -U5 main..HEAD -- .env", [".env"]),
        ("git log -L1,20:.env", [".env"]),
        ("git log -L :name:src/a.c", ["src/a.c"]),
        ("git log -p .env", [".env"]),
        ("git diff -- .env", [".env"]),
        ("git diff HEAD~1 abc1234 .env", [".env"]),
        ("git diff -- ':(top,icase).env' ':/b'", [".env", "b"]),
        ("git diff -- . ':!.env' ':(exclude)b' ':^c'", ["."]),
        ("git diff --stat -p .env", [".env"]),
        ("git blame -L1,5 .env", [".env"]),
        ("git grep TOKEN -- .env", [".env"]),
        ("git grep -e TOKEN HEAD -- .env", [".env"]),
        ("git cat-file -p HEAD:.env", [".env"]),
        ("git archive HEAD .env", [".env"]),
        ("git archive HEAD:config master.key", ["config/master.key"]),
        ("git stash show -p stash@{0} -- .env", [".env"]),
        ("git diff-tree -p HEAD -- .env", [".env"]),
        ("git log -p -- '*.env'", ["*.env", ".env"]),
        ("git diff ../other.txt", ["../other.txt"]),
    ],
)
def test_what_is_printed_or_packed_is_read(command: str, paths: list[str]) -> None:
    """By pathspec, by `REV:PATH`, by a range of lines; what is excluded is not."""
    assert shown(command) == paths


@pytest.mark.parametrize(
    "command",
    [
        "git log -- .env",
        "git log --stat -- .env",
        "git log --all --oneline -- .env",
        "git log -p HEAD~3..HEAD",
        "git log -p origin...HEAD^2",
        "git show HEAD",
        "git show --name-only HEAD -- .env",
        "git diff --name-only -- .env",
        "git diff --quiet .env",
        "git diff",
        "git diff abc1234..def5678",
        "git stash show stash@{0}",
        "git grep -l TOKEN -- .env",
        "git grep .env",
        "git cat-file -t HEAD:.env",
        "git rev-parse HEAD:.env",
        "git ls-files .env",
        "git ls-tree HEAD .env",
        "git status .env",
    ],
)
def test_names_numbers_and_commits_are_not(command: str) -> None:
    """No line of a file is seen by them."""
    assert shown(command) == []
