"""Every command in the documents exists, and those that can be run here do run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.test_docs import BLOCKS, Block, exchanges, place

from interlock.cli.app import make_app

HERE = Path(sys.executable).parent
SHELL = [b for b in BLOCKS if b.language == "sh" and not b.file]

# Lines that this test does not run, and why. All others run in a new home, in the order of their page.
NOT_RUN = {
    r"make (demo|test)\b": "tests/test_demo.py plays the demo; the other one runs this test",
    r"(pipx|pip) install|uv tool": "takes packages from the network; `make test-package` installs ours",
    r"interlock (log -f|ui|watch)\b|^key=|^curl": "runs until it is stopped; tests/web, tests/features/fleet",
    r"interlock ledger team|^createdb": "needs a Postgres; tests/features/team_ledger has one",
    r"interlock install claude-code --mcp": "starts the MCP server, an extra; tests/features/mcp does",
    r"pause 15m|interlock (trust|uninstall --all|setup --undo)": "a person confirms it; tests/cli does",
    r"interlock ledger (repair|.* /mnt)|^sqlite3": "needs a damaged ledger or another disk; tests/ledger",
    r"interlock suggest --since|^patch|interlock replay": "needs history; tests/features/learning has it",
    r"interlock receipts (show|resolve)": "needs a call that crashed; tests/features/receipts makes one",
    r"interlock (capture|commit|claim|submit) ": "needs the id it printed; tests/features/commitments",
    r"interlock (effort|session|rpc)\b": "is for the session of an agent; tests/cli/test_work_commands.py",
    r"^tmux": "needs a tmux; tests/features/fleet has one",
}
MAY_FAIL = {"interlock doctor"}  # exit 1 where Claude Code is not installed


def lines(block: Block) -> Iterator[str]:
    """The commands of a shell block without comments; what a here-document holds is none."""
    end: str | None = None
    for line in block.text.splitlines():
        if end is not None:
            end = None if line.strip() == end else end
            continue
        words = shlex.split(line, comments=True)
        if words:
            yield re.sub(r"\s+#( .*)?$", "", line)
            here = re.search(r"<<'?(\w+)'?", line)
            end = here[1] if here else None


def commands(block: Block) -> Iterator[str]:
    """What a reader would type: the lines of a shell block, or those after `$ `."""
    if block.language == "console":
        yield from (command for command, _ in exchanges(block))
    else:
        yield from lines(block)


def calls(command: str) -> Iterator[list[str]]:
    """The words of each `interlock …` in a shell line."""
    for piece in re.split(r"\$\(|\)(?=\"|$)|\||&&|;|<<|>", command):
        found = re.match(r"\s*(?:\w+=\S+ )*interlock (.*)", piece)
        if found and found[1].count("'") % 2 == 0 and found[1].count('"') % 2 == 0:
            yield shlex.split(found[1])


def parse(words: list[str]) -> None:
    """Read the words as the program would, and run nothing; raise on a word or option it does not know."""
    command: Any = typer.main.get_command(make_app())
    context = None
    name: str | None = "interlock"
    while True:
        context = command.make_context(name, list(words), parent=context)
        if not hasattr(command, "resolve_command"):
            return
        rest = [*getattr(context, "_protected_args", []), *context.args]
        name, command, words = command.resolve_command(context, rest)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language in {"sh", "console"}], ids=place)
def test_every_command_in_the_documents_exists(block: Block) -> None:
    """Each `interlock …` names a command that is there, with options it has."""
    for command in commands(block):
        for words in calls(command):
            if not {"--help", "-h", "--version"} & set(words):
                parse(words)


def test_a_command_that_is_gone_is_seen() -> None:
    """A wrong command and a wrong option both fail, also inside a longer line."""
    for line in ("interlock gone", "cd x && interlock log --gone", "x=$(interlock ledger gone)"):
        (words,) = calls(line)
        with pytest.raises(Exception, match="gone"):
            parse(words)


def reason_not_to_run(command: str) -> str | None:
    """Why a line is not run here, if it is not."""
    return next((why for pattern, why in NOT_RUN.items() if re.search(pattern, command)), None)


def test_every_reason_is_needed() -> None:
    """No pattern of the list is left over from a line that is gone."""
    every = [command for block in SHELL for command in commands(block)]

    assert [pattern for pattern in NOT_RUN if not any(re.search(pattern, line) for line in every)] == []


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A home that `interlock setup` has set up, with a denied call and two that wait for a person."""
    home, project = tmp_path / "home", tmp_path / "home" / "project"
    (home / ".claude").mkdir(parents=True)
    (project / ".git").mkdir(parents=True)
    short = tempfile.mkdtemp(prefix="ilk-")  # the path of a socket has to be
    env = {"PATH": f"{HERE}:{os.defpath}", "HOME": str(home), "XDG_RUNTIME_DIR": short}
    subprocess.run([HERE / "interlock", "setup", "--yes"], env=env, check=True, timeout=120)
    try:
        settings = json.loads((home / ".claude" / "settings.json").read_text("utf-8"))
        hook = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        for command in ("git push --force", "npm publish", "cargo publish"):
            call = {
                "hook_event_name": "PreToolUse",
                "session_id": "7c1e",
                "transcript_path": str(home / "t.jsonl"),
                "cwd": str(project),
                "permission_mode": "dontAsk",
                "tool_name": "Bash",
                "tool_input": {"command": command},
                "tool_use_id": f"toolu_{len(command)}",
            }
            told = json.dumps(call).encode()
            subprocess.run([hook["command"], *hook["args"]], env={}, input=told, check=True, timeout=60)
        yield project, env
    finally:
        subprocess.run([HERE / "interlock", "daemon", "stop"], env=env, check=False, timeout=60)
        shutil.rmtree(short)


@pytest.mark.deep
@pytest.mark.parametrize(
    "page",
    sorted({b.page for b in SHELL if any(not reason_not_to_run(c) for c in commands(b))}),
    ids=lambda p: p.name,
)
def test_every_shell_line_that_can_run_runs(page: Path, guarded: tuple[Path, dict[str, str]]) -> None:
    """What a page tells its reader to type works in a home where a call was denied and two wait."""
    project, env = guarded
    wrong = []
    for command in (c for b in SHELL if b.page == page for c in commands(b)):
        if reason_not_to_run(command):
            continue
        real = command.replace("ap_7", "ap_1").replace("show 17", "show 2")
        real = re.sub(r"(approvals approve ap_\d.*|setup)$", r"\1 --yes", real)
        done = subprocess.run(
            ["/bin/sh", "-c", real], cwd=project, env=env, capture_output=True, check=False, timeout=120
        )
        if done.returncode and not (command in MAY_FAIL and done.returncode == 1):
            wrong.append((real, done.returncode, done.stdout.decode() + done.stderr.decode()))

    assert wrong == []
