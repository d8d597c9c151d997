"""Rules behind others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.lint.linted import codes, hooks, linted, lists

from interlock.features.lint.policy_files import Code, Weight

_WIDE = '{name: wide, type: deny, matcher: "Bash(rm *)"}'
_NARROW = '{name: narrow, type: deny, matcher: "Bash(rm -rf *)"}'


def test_a_hook_behind_a_wider_deny_is_never_asked(tmp_path: Path) -> None:
    """The first deny ends the chain, so what it covers never gets its turn."""
    (finding,) = linted(tmp_path, hooks(_WIDE, _NARROW))

    assert (finding.code, finding.weight, finding.line) == (Code.SHADOWED, Weight.ERROR, 5)
    assert "`wide` (" in finding.message


def test_the_narrower_first_is_fine(tmp_path: Path) -> None:
    """Order is the point: a narrow rule with its own reason stands before a wide one."""
    assert codes(linted(tmp_path, hooks(_NARROW, _WIDE))) == []


@pytest.mark.parametrize(
    "wide",
    [
        '{name: wide, type: ask, matcher: "Bash(rm *)"}',
        '{name: wide, type: deny, matcher: "Bash(rm *)", if: "actor == \'agent:x\'"}',
        '{name: wide, type: deny, matcher: "Bash(rm *)", mode: shadow}',
        '{name: wide, type: deny, matcher: "Bash(rm *)", observe: true}',
        '{name: wide, type: deny, matcher: "Bash(rm *)", once: true}',
    ],
)
def test_what_does_not_always_end_the_chain_shadows_nothing(tmp_path: Path, wide: str) -> None:
    """An ask, a condition, a shadow, an observer and a `once` leave room behind them."""
    assert Code.SHADOWED not in codes(linted(tmp_path, hooks(wide, _NARROW)))


def test_another_moment_is_not_shadowed(tmp_path: Path) -> None:
    """A deny before a tool says nothing about what is kept after it."""
    after = '  post_tool_use:\n    - {name: keep, type: evidence_capture, matcher: "Bash"}\n'

    assert codes(linted(tmp_path, hooks('{name: never, type: deny, matcher: "Bash"}') + after)) == []


def test_a_list_entry_that_adds_nothing_is_a_warning(tmp_path: Path) -> None:
    """In one list two denies do the same; of two equal entries the second is told."""
    findings = linted(
        tmp_path, lists(deny=("Bash(git push --force)", "Bash(git push *)", "Bash(git push *)"))
    )

    assert [(one.code, one.weight, one.line) for one in findings] == [
        (Code.SHADOWED, Weight.WARNING, 6),
        (Code.SHADOWED, Weight.WARNING, 8),
    ]
