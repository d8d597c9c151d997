"""What one file allows and denies at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.lint.linted import codes, hooks, linted, lists

from interlock.features.lint.policy_files import Code, Weight


@pytest.mark.parametrize(
    ("deny", "allow"),
    [
        ("Bash(git push *)", "Bash(git push origin *)"),
        ("Bash(git push *)", "Bash(git push)"),
        ("Bash(rm -rf *)", "Bash(rm -fr build)"),  # not by its letters: the one call it allows is denied
        ("Write(src/**)", "Write(src/a.py)"),
        ("write(src/**)", "Edit(src/a.py)"),
        ("Bash", "Bash(npm test *)"),
        ("delete(*)", "Bash(rm notes.txt)"),
    ],
)
def test_an_allow_that_is_denied_in_the_same_file_is_an_error(tmp_path: Path, deny: str, allow: str) -> None:
    """The deny always wins, so the allow is of no use."""
    (finding,) = linted(tmp_path, lists(allow=(allow,), deny=(deny,)))

    assert (finding.code, finding.weight, finding.line) == (Code.CONTRADICTORY, Weight.ERROR, 8)
    assert f"`{deny}` on line 6" in finding.message


@pytest.mark.parametrize(
    ("deny", "allow"),
    [("Bash(npm publish *)", "Bash(npm run *)"), ("Write(src/gen/*)", "Write(src/a*)")],
)
def test_an_exception_is_no_contradiction(tmp_path: Path, deny: str, allow: str) -> None:
    """A deny that takes out a part of an allow is how lists are meant."""
    assert codes(linted(tmp_path, lists(allow=(allow,), deny=(deny,)))) == []


def test_a_hook_of_the_same_file_contradicts_too(tmp_path: Path) -> None:
    """A deny hook is as final as a list."""
    text = hooks('{name: no-write, type: deny, matcher: "Write"}') + lists(allow=("Write(src/*)",))
    (finding,) = linted(tmp_path, text)

    assert finding.code is Code.CONTRADICTORY
    assert "the hook `no-write` on line 4" in finding.message


def test_the_lists_of_another_actor_do_not_count(tmp_path: Path) -> None:
    """What one may not do, another may."""
    text = lists(allow=("Write(src/*)",)) + "    agent:auditor:\n      deny: ['Write']\n"

    assert codes(linted(tmp_path, text)) == []
