"""What `interlock --help` shows, and what only `interlock help` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.cli.typed import Interlock

from interlock.cli.app import make_app
from interlock.cli.help import MORE, SECTIONS

_LINES, _COLUMNS, _COMMANDS, _LONGEST = 45, 80, 25, 55
_PLUMBING = ["hook", "rpc", "daemon", "schema", "paths", "pause", "status-line", "file-suggestion"]
_OLDER = (
    *("capture", "commit", "claim", "release", "submit", "reject", "reopen", "close"),
    *("cancel", "link", "annotate", "dismiss", "triage", "publish"),
)
TEXTS = {
    name: line for part in (SECTIONS, MORE) for section in part.values() for name, line in section.items()
}


def _groups(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, below in getattr(command, "commands", {}).items():
        if hasattr(below, "commands"):
            yield (*words, name)
            yield from _groups(below, (*words, name))


GROUPS = list(_groups(typer.main.get_command(make_app())))


@pytest.fixture
def narrow(interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> Interlock:
    """Before a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", str(_COLUMNS))
    return interlock


def _commands(text: str) -> list[str]:
    """The first word of each row of a panel."""
    rows = [line.removeprefix("│ ").split() for line in text.splitlines() if line.startswith("│ ")]
    return [row[0] for row in rows]


def test_the_help_fits_one_screen(narrow: Interlock) -> None:
    """At most 25 commands, each on a line of its own, in sections, within 45 lines of 80 columns."""
    typed = narrow("--help")
    lines = typed.out.splitlines()
    shown = [name for section in SECTIONS.values() for name in section if name in _commands(typed.out)]

    assert (typed.code, typed.err) == (0, "")
    assert len(lines) <= _LINES
    assert max(map(len, lines)) <= _COLUMNS
    assert _commands(typed.out) == shown
    assert sum(map(len, SECTIONS.values())) <= _COMMANDS
    assert [title for title in SECTIONS if f"╭─ {title} ─" not in typed.out] == []
    assert "<bool>" not in typed.out
    assert "completion" not in typed.out


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_command_is_described_in_a_short_line(text: str) -> None:
    """It begins with a verb, ends without a dot, and fits beside the longest name."""
    assert len(text) <= _LONGEST
    assert text[0].isupper()
    assert not text.endswith(".")


def test_everything_else_is_one_step_away(narrow: Interlock) -> None:
    """`help --all` names what `--help` hides: plumbing, older words and the rest."""
    everything = _commands(narrow("help", "--all").out)
    brief = _commands(narrow("--help").out)

    assert set(brief) < set(everything)
    assert {*_PLUMBING, *_OLDER, "genesis", "grants", "init"} <= set(everything) - set(brief)


def test_help_explains_a_command(narrow: Interlock) -> None:
    """By the same words as `--help` after it."""
    assert narrow("help", "approvals", "list").out == narrow("approvals", "list", "--help").out
    assert narrow("help").out == narrow("--help").out


@pytest.mark.parametrize("word", [*_OLDER, "approve"])
def test_a_word_of_the_documents_is_a_command_of_commitments(narrow: Interlock, word: str) -> None:
    """Both spellings take the same options."""
    own, below = (narrow(*words, "--help").out for words in ((word,), ("commitment", word)))
    panels = [text[text.index("╭─") : text.index("Example:")] for text in (own, below)]

    assert panels[0] == panels[1]
    assert f"Example: interlock {word}" in own


def test_help_shows_no_types_of_python(narrow: Interlock, work: Path) -> None:
    """A value is a TEXT, a PATH or an N; a switch has none."""
    shown = narrow("ledger", "list", "--help").out + narrow("test", "--help").out

    assert not {"<str>", "<bool>", "<path>", "<int range>"} & set(shown.split())
    assert "N [1<=x<=10000]" in shown


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_each_command_of_a_group_has_one_line(narrow: Interlock, words: tuple[str, ...]) -> None:
    """Whatever a group lists fits beside its name on a terminal of 80 columns."""
    listed = narrow(*words, "--help").out.partition("─ Commands ─")[2]

    assert [line for line in listed.splitlines() if line.startswith("│  ")] == []
