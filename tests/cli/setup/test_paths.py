"""`interlock paths`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.typed import Interlock, typed_for_real

_NAMES = {"user_config", "project_config", "state", "database", "socket", "log"}


def test_every_place_has_a_line(interlock: Interlock, home: Path, work: Path) -> None:
    """A person sees each place with its name, one a line."""
    typed = interlock("paths")
    rows = dict(line.split(maxsplit=1) for line in typed.out.splitlines())

    assert typed.code == 0
    assert rows.keys() >= _NAMES
    assert rows["user_config"] == str(home / "interlock" / "config")
    assert rows["project_config"] == str(work / ".interlock")


def test_scripts_get_the_same_places(interlock: Interlock) -> None:
    """The JSON form says what the text form says."""
    rows = dict(line.split(maxsplit=1) for line in interlock("paths").out.splitlines())

    assert rows == interlock("paths", "--json").document


def test_nothing_is_created_by_asking(interlock: Interlock, home: Path) -> None:
    """Asking where things are leaves no trace."""
    interlock("paths")

    assert not (home / "interlock").exists()


def test_without_a_home_of_its_own_the_standard_places_are_named(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `INTERLOCK_HOME` the user's configuration is where the system keeps such."""
    monkeypatch.delenv("INTERLOCK_HOME")

    assert interlock("paths", "--json").document["user_config"] == str(home / ".config" / "interlock")


@pytest.mark.deep
def test_a_folder_that_is_gone_is_said_in_words(tmp_path: Path) -> None:
    """A person who stands in a deleted folder is told so, by every command that looks around."""
    for words in (["paths"], ["hooks", "test-pattern", "Bash", "Bash", "x"], ["hooks", "list"]):
        gone = tmp_path / "gone"
        gone.mkdir()
        script = f'cd "{gone}" && rmdir "{gone}" && exec "$0" "$@"'
        typed = typed_for_real(*words, through=("/bin/sh", "-c", script))
        assert (
            typed.code,
            typed.err,
        ) == (2, "interlock: the current folder no longer exists; change to another one\n")
