"""Paths for what a person begins to type."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import Home, bash, event

from interlock.cli.file_suggestion import files_of, suggested

pytestmark = pytest.mark.deep

FILES = ["src/app/cart.py", "src/app/card_view.py", "docs/cart.md", "README.md", "scar/t.py"]


@pytest.mark.req("C14", "C73")
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("cart", ["docs/cart.md", "src/app/cart.py"]),
        ("CART.py", ["src/app/cart.py"]),
        ("src/app", ["src/app/cart.py", "src/app/card_view.py"]),
        ("./docs", ["docs/cart.md"]),
        ("view", ["src/app/card_view.py"]),
        ("sacv", ["src/app/card_view.py"]),
        ("nothing like it", []),
    ],
)
def test_the_nearest_come_first(query: str, first: list[str]) -> None:
    """By name, by path, by letters in order."""
    found = suggested(query, FILES, 15)

    assert found[: len(first)] == first
    assert bool(found) is bool(first)


def test_no_more_than_wanted_and_nothing_that_a_line_cannot_hold() -> None:
    """One path a line."""
    assert suggested("", FILES, 2) == ["README.md", "scar/t.py"]
    assert suggested("", ["a\nb", "c"], 5) == ["c"]


def test_of_a_repository_those_that_git_does_not_ignore(tmp_path: Path) -> None:
    """New ones too; in a plain folder, all but what tools leave behind."""
    for name in ("a.py", "build/x.o", ".env", "node_modules/m.js"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert list(files_of(tmp_path)) == [".env", "a.py"]
    (tmp_path / ".gitignore").write_text(".env\nbuild/\nnode_modules/\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True, env={"PATH": os.environ["PATH"]})

    assert sorted(files_of(tmp_path)) == [".gitignore", "a.py"]


@pytest.mark.req("C73")
def test_the_command_prints_lines_and_never_fails(tmp_path: Path) -> None:
    """Whatever it is given."""
    (tmp_path / "cart.py").write_text("")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CLAUDE_PROJECT_DIR": str(tmp_path)}

    def said(given: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [SCRIPT, "file-suggestion"],
            input=given,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    assert said(json.dumps({"query": "cart"})) == (0, "cart.py\n", "")
    assert said("{") == (0, "", "")
    assert said("[3]") == (0, "cart.py\n", "")


@pytest.mark.req("C14")
def test_its_hooks_run_and_the_paths_they_name_come_first(person: Home, tmp_path: Path) -> None:
    """A line of a hook's message is a path; one that is found anyway is printed once."""
    (tmp_path / "cart.py").write_text("")
    (tmp_path / "card.py").write_text("")
    said = json.dumps({"decision": "allow", "message": "notes/cart.md\ncart.py"})
    (tmp_path / "said.json").write_text(said)
    person.write_policy(
        'version: "2.0"\nhooks:\n  file_suggestion:\n'
        "    - {type: command, config: {command: cat > told.json; cat said.json}}\n"
    )
    person.shim(event("SessionStart"))
    done = subprocess.run(
        [SCRIPT, "file-suggestion"],
        input=json.dumps({"session_id": "s1", "cwd": str(tmp_path), "query": "ca"}),
        env={"INTERLOCK_HOME": str(person.folder), "PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout.splitlines()[:3] == ["notes/cart.md", "cart.py", "card.py"]
    assert json.loads((tmp_path / "told.json").read_text())["query"] == "ca"
    person.shim(bash("ls"))  # durable, and so is all before it
    names = [entry.body["event"] for entry in person.entries("decision")]
    assert names == ["SessionStart", "FileSuggestion", "PreToolUse"]
