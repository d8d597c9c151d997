"""Rules of packs mean what a command does; a person's own pattern means what is written there."""

from __future__ import annotations

import pytest
from tests.builders import bash, view

from interlock.patterns.matcher import parse_matcher


def _fires(pattern: str, command: str, *, tame: bool) -> bool:
    matcher = parse_matcher(pattern, tame=tame)
    return matcher.fires(view(bash(command), *[one.text for one in matcher.patterns]), every_part=False)


@pytest.mark.parametrize(
    "command", ["git clean -nfd", "git clean -fd --help", "ls; git clean -nfd", "git clean -nfd && ls"]
)
def test_a_rule_of_a_pack_passes_over_what_only_shows(command: str) -> None:
    """Neither its words nor the whole text is met; a pattern of a person's own meets both."""
    assert not _fires("Bash(git clean *)", command, tame=False)
    assert _fires("Bash(git clean *)", command, tame=True)


@pytest.mark.parametrize(
    "command", ["git clean -fd", "git clean -nfd; git clean -fd", "git clean -nfd && bash -c 'git clean -fd'"]
)
def test_what_acts_beside_it_is_met(command: str) -> None:
    """A dry run before the run does not hide it."""
    assert _fires("Bash(git clean *)", command, tame=False)


def test_what_is_read_is_met_all_the_same() -> None:
    """A dry run reads its input, and running a program to see its help is not a run of it."""
    assert _fires("read(.env)", "rsync -n .env host:", tame=False)
    assert not _fires("run(sudo)", "sudo --help", tame=False)
    assert _fires("run(sudo)", "sudo reboot --help", tame=False)
