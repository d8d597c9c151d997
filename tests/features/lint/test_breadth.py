"""Rules that let pass, or stop, more than anyone means."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.lint.linted import codes, hooks, linted, lists

from interlock.features.lint.policy_files import Code, Weight


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("Bash", "every command"),
        ("Bash(*)", "every command"),
        ("Bash(git *)", "`git push --force origin main`"),
        ("Bash(*m *)", "`rm -rf src`"),
        ("Bash(bash *)", "`bash script.sh`"),
        ("Bash(sudo *)", "`sudo ls -l`"),
        ("Read", "`~/.ssh/id_ed25519`"),
        ("Write(*)", "`~/.bashrc`"),
    ],
)
def test_an_allow_that_covers_what_cannot_be_taken_back_is_told(
    tmp_path: Path, pattern: str, shown: str
) -> None:
    """The warning names a call that the allow lets pass."""
    findings = linted(tmp_path, lists(allow=(pattern, "Bash(ls *)")))

    assert (findings[0].code, findings[0].weight, findings[0].line) == (Code.BROAD, Weight.WARNING, 6)
    assert shown in findings[0].message


@pytest.mark.parametrize(
    "pattern", ["Bash(npm test *)", "Bash(git status *)", "Write(src/*)", "Read(docs/**)"]
)
def test_a_narrow_allow_is_left_alone(tmp_path: Path, pattern: str) -> None:
    """Allows that say what they mean are not nagged about."""
    assert codes(linted(tmp_path, lists(allow=(pattern,)))) == []


def test_what_is_denied_beside_it_is_not_held_against_an_allow(tmp_path: Path) -> None:
    """An allow counts by what really passes, after every rule has had its say."""
    deny = ("Bash(git push --force)", "Bash(git reset --hard *)", "Bash(git clean *)")

    assert codes(linted(tmp_path, lists(allow=("Bash(git *)",), deny=deny))) == []


def test_a_deny_of_everything_is_told(tmp_path: Path) -> None:
    """Under it an agent can do nothing at all."""
    (finding,) = linted(tmp_path, hooks("{name: never, type: deny}"))

    assert (finding.code, finding.weight) == (Code.BROAD, Weight.WARNING)
    assert codes(linted(tmp_path, hooks("{name: never, type: deny, mode: shadow}"))) == []
