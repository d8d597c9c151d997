"""`interlock lint-settings FILE`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.typed import Interlock

VOID = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": "30"}]}]}}'
DEAD = '{"hooks": {"PreTool": []}}'


def written(folder: Path, text: str) -> str:
    """A settings file with this text."""
    file = folder / "settings.json"
    file.write_text(text)
    return str(file)


def test_a_void_file_ends_with_1(interlock: Interlock, work: Path) -> None:
    """The place and the cure stand on one line."""
    typed = interlock("lint-settings", written(work, VOID))

    assert typed.code == 1
    assert typed.out.startswith("void  hooks.PreToolUse[0].hooks[0].timeout  expected a number of seconds")


def test_a_file_that_is_no_json_is_void(interlock: Interlock, work: Path) -> None:
    """With line and column."""
    typed = interlock("lint-settings", written(work, "{,}"), "--json")

    assert typed.code == 1
    assert typed.document["void"] is True
    assert ":1:2:" in typed.document["findings"][0]["message"]


def test_a_dead_part_is_named_and_no_failure(interlock: Interlock, work: Path) -> None:
    """The file counts."""
    typed = interlock("lint-settings", written(work, DEAD))

    assert typed.code == 0
    assert "did you mean `PreToolUse`?" in typed.out


def test_a_good_file_says_so(interlock: Interlock, work: Path) -> None:
    """Silence would leave a doubt."""
    typed = interlock("lint-settings", written(work, "{}"))

    assert (typed.code, typed.out) == (0, f"{work}/settings.json: no problems found\n")


def test_a_missing_file_is_an_error(interlock: Interlock, work: Path) -> None:
    """It is not a good one."""
    assert interlock("lint-settings", str(work / "none.json")).code == 2
