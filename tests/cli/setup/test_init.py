"""`interlock init` and the starter policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.typed import Interlock


def starter(home: Path) -> Path:
    """Where the user's policy is written."""
    return home / "interlock" / "config" / "genesis.key"


def test_the_starter_policy_is_valid(interlock: Interlock, home: Path) -> None:
    """What is written validates without a note, its own examples included."""
    written = interlock("init")
    checked = interlock("genesis", "validate", str(starter(home)))

    assert written.code == 0
    assert str(starter(home)) in written.out
    assert (checked.code, checked.err) == (0, "")
    assert re.fullmatch(r"valid: 1 hooks, 0 actors, and \d+ hooks from packs\n", checked.out)


def test_the_starters_examples_are_really_checked(interlock: Interlock, home: Path) -> None:
    """An example that does not hold makes the file invalid, so those that are there hold."""
    interlock("init")
    text = starter(home).read_text()
    starter(home).write_text(text.replace('match: ["echo A=1 >> .env"', 'match: ["echo A=1"', 1))

    assert interlock("genesis", "validate", str(starter(home))).code == 1


def test_the_starters_commented_parts_are_valid_too(interlock: Interlock, home: Path, work: Path) -> None:
    """A person who takes the `#` away gets a policy that loads."""
    interlock("init")
    lines = starter(home).read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if "# post_tool_use:" in line)
    prose = ("# Who may", "# An actor")
    opened = [
        line if n < first or line.startswith(prose) else line.replace("# ", "", 1)
        for n, line in enumerate(lines)
    ]
    (work / "open.key").write_text("\n".join(opened))

    assert interlock("genesis", "validate", "open.key").out.startswith("valid: 2 hooks, 1 actors, and ")


@pytest.mark.parametrize(
    ("tool", "args", "decision"),
    [
        ("Bash", "rm -rf ~", "deny"),
        ("Bash", "cd x; rm -rf /srv/y", "deny"),
        ("Bash", "rm -rf node_modules", "allow"),
        ("Bash", "git status", "allow"),
        ("Bash", "git push", "allow"),
        ("Edit", "src/main.py", "allow"),
    ],
)
def test_the_starter_denies_the_worst_and_nothing_else(
    interlock: Interlock, tool: str, args: str, decision: str
) -> None:
    """What a new user tries first comes out as the file says."""
    interlock("init")
    typed = interlock("hooks", "simulate", "--tool", tool, "--args", args)

    assert typed.first.startswith(f"decision: {decision}")


def test_the_command_it_proposes_works(interlock: Interlock, work: Path) -> None:
    """The proposed command can be pasted, also when the path needs quoting."""
    proposed = interlock("init", "my policy.key").out.splitlines()[1]

    assert proposed.endswith("--config 'my policy.key'")
    assert interlock("genesis", "validate", "my policy.key").code == 0
    assert interlock("init", "--project").out.startswith(f"wrote {work / '.interlock' / 'genesis.key'}")


def test_a_policy_that_is_there_is_never_lost(interlock: Interlock, work: Path) -> None:
    """Without `--force` it stays; with it, every older one is kept beside."""
    file = work / "a.key"
    file.write_text("first")
    refused = interlock("init", "a.key")

    assert (refused.code, file.read_text()) == (2, "first")
    assert "--force" in refused.err
    assert interlock("init", "a.key", "--force", "--json").document["backup"] == "a.key.bak"
    assert interlock("init", "a.key", "--force", "--json").document["backup"] == "a.key.bak1"
    assert (work / "a.key.bak").read_text() == "first"
    assert sorted(path.name for path in work.iterdir()) == ["a.key", "a.key.bak", "a.key.bak1"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("folder",), "is a folder"),
        (("folder", "--force"), "is a folder"),
        (("file/a.key",), "cannot write"),
        (("a.key", "--project"), "keep one"),
    ],
)
def test_a_place_that_cannot_be_written_is_said_in_one_line(
    interlock: Interlock, work: Path, words: tuple[str, ...], hint: str
) -> None:
    """The person is told which place and what to do; nothing is moved or left behind."""
    (work / "folder").mkdir()
    (work / "file").touch()
    typed = interlock("init", *words)

    assert (typed.code, typed.out) == (2, "")
    assert hint in typed.err
    assert typed.err.count("\n") == 1
    assert sorted(path.name for path in work.iterdir()) == ["file", "folder"]
