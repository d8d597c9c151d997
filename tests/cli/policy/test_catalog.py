"""The catalog shows every type a policy may name, with its options."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.terminal import at_terminal

from interlock.policy.hook_kinds import own_kinds


def test_every_type_is_listed_with_one_line(interlock: Interlock) -> None:
    """Those of the format and those in a file of their own."""
    rows = {row["type"]: row for row in interlock("hooks", "catalog", "--json").document["hooks"]}

    assert own_kinds().keys() <= rows.keys()
    assert all(row["about"] and "\n" not in row["about"] for row in rows.values())
    for name, row in rows.items():
        about = row["about"]
        assert about[:1].isupper() or about.startswith("`"), f"the line of `{name}` begins no sentence"
        assert about.endswith("."), f"the line of `{name}` ends no sentence"
    assert interlock("hooks", "catalog").out.startswith("TYPE")


def test_one_type_shows_its_options(interlock: Interlock) -> None:
    """Name, type, what holds unless it is said, and what it is for; where an entry may stand."""
    found = interlock("hooks", "catalog", "nudge", "--json").document
    options = {row["name"]: row for row in found["options"]}

    assert found["at"] == ["user_prompt_submit"]
    assert options["tell"]["type"] == "true or false"
    assert options["tell"]["default"] == "true"
    assert options["match"]["type"] == "`fuzzy` or `plural` or `exact`"
    assert options["also"]["type"] == "mapping to texts"
    assert all(row["about"] for row in options.values())
    assert "runs at: user_prompt_submit" in interlock("hooks", "catalog", "nudge").out
    assert "must be given" in interlock("hooks", "catalog", "command").out


def test_a_type_nobody_knows_is_told_with_the_nearest(interlock: Interlock) -> None:
    """As everywhere."""
    typed = interlock("hooks", "catalog", "nudgee")

    assert typed.code != 0
    assert "there is no hook `nudgee`; did you mean `nudge`?" in typed.err


@pytest.mark.deep
@pytest.mark.parametrize("name", [(), ("redirect",), ("nudge",)])
def test_a_screen_of_eighty_columns_shows_every_word(home: Path, name: tuple[str, ...]) -> None:
    """Sentences and long defaults go on in the next line, below their beginning."""
    program = Path(sys.executable).with_name("interlock")
    code, screen = at_terminal(
        [sys.executable, str(program), "hooks", "catalog", *name],
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
        cwd=home,
    )
    told = "Suggests the agent or skill" if name != ("redirect",) else "false: the agent is not told"

    assert code == 0
    assert max(map(len, screen.splitlines())) <= 80
    assert told in " ".join(screen.split())
