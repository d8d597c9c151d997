"""Acceptance: handing over in the client's default permission mode, where it asks before most things."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from clients.claude_code import Run, run_claude
from clients.install import NEW, PINNED, install
from clients.interlock_home import PROGRAM, InterlockHome
from clients.turns import Blocks, Tokens, Turn, bash, say, use

VERSIONS: Final = pytest.mark.parametrize("pinned", [PINNED, NEW], ids=["old", "new"])
RECOVERED: Final = "## Session Recovery (Dehydrated Context)"
AGAIN: Final = "Another session started with it"
BLOCKED: Final = "heartbeat-block"
# Quotes, braces and an apostrophe: what the client takes for a trick in a shell command.
LEFT: Final[dict[str, Any]] = {
    "summary": "Half of the parser is done; `{` isn't.",
    "lastAction": "Wrote the lexer.",
    "nextSteps": ["Write the grammar."],
    "requiredFiles": ["src/lexer.py"],
}


@pytest.fixture
def interlock(home: Path, project: Path) -> Iterator[InterlockHome]:
    """Interlock as somebody installs it who lets agents type our commands, with two packs."""
    (project / "src").mkdir()
    (project / "src" / "lexer.py").write_text("TOKENS = 1\n", encoding="utf-8")
    installed = InterlockHome(home=home)
    installed.policy(settings={"packs": ["work", "baseline"], "work": {"block_after": 4}})
    try:
        installed.call("install", "claude-code", "--permissions")
        yield installed
    finally:
        installed.end()


def run(
    project: Path, interlock: InterlockHome, *turns: Turn, pinned: Path = PINNED, on_path: bool = False
) -> Run:
    """A session that asks before anything that no rule allows; nobody is there to say yes."""
    env = {"INTERLOCK_HOME": str(interlock.folder), "PATH": f"{PROGRAM.parent}:{os.defpath}"}
    start = [str(install(pinned))]
    return run_claude(project, interlock.home, turns, env=env if on_path else {}, program=start, asks=True)


def full(blocks: Blocks) -> Blocks:
    """The same turn in a window that is nearly full."""
    return (*blocks, Tokens(sent=185_000))


@VERSIONS
@pytest.mark.req("E38", "E40", "E41")
@pytest.mark.parametrize("on_path", [True, False], ids=["by-name", "by-path"])
def test_a_handover_as_it_is_prescribed_passes_and_is_given_until_it_is_taken_up(
    project: Path, interlock: InterlockHome, pinned: Path, on_path: bool
) -> None:
    """The client asks about none of its steps, and a session that came to nothing loses nothing."""
    program = "interlock" if on_path else str(interlock.folder / "bin" / "interlock")
    file = project / "tasks" / "parser" / "1_IMPLEMENT_HANDOVER_1.json"
    typed = f"{program} session dehydrate {file}"
    first = run(
        project,
        interlock,
        bash(f"{program} effort start tasks/parser implement"),
        full(bash("echo full")),
        full(bash("sleep 0.5; echo on")),  # the client writes what we count from when it likes
        full(use("Write", file_path=str(file), content=json.dumps(LEFT))),
        full(bash(typed)),
        say("bye"),
        pinned=pinned,
        on_path=on_path,
    )
    assert f"`{file}`" in first.said()
    assert f"run `{typed}` as a command of its own" in first.said()
    assert "the next session of its effort starts with it" in first.tool_results()[-1]

    nothing = run(project, interlock, say("bye"), pinned=pinned, on_path=on_path)
    log = bash(f"{program} effort log 'Grammar written.'")
    second = run(project, interlock, bash("echo looking"), log, say("bye"), pinned=pinned, on_path=on_path)
    third = run(project, interlock, say("bye"), pinned=pinned, on_path=on_path)
    seen = [one.conversation()[0].said() for one in (nothing, second, third)]
    assert [RECOVERED in one for one in seen] == [True, True, False]
    assert [AGAIN in one for one in seen] == [False, True, False]
    assert f"- {project}/src/lexer.py" in seen[1]
    assert "1_IMPLEMENT_LOG.md" in second.tool_results()[1]


@VERSIONS
@pytest.mark.req("E39", "E48", "E49")
def test_every_way_a_client_lets_us_be_typed_frees_a_held_agent(
    project: Path, interlock: InterlockHome, pinned: Path
) -> None:
    """What passes the client's own check passes ours: no agent is held that does as it is told."""
    program = str(interlock.folder / "bin" / "interlock")
    words = '## Found\\n* `{` isn\'t closed: {"a": 1}'
    spellings = [
        f"{program} effort log found",
        f"'{program}' effort log 'found'",
        f"timeout 20 {program} effort log found",
        f"cd src && {program} effort log found 2>&1 | tail -3",
        f"printf '%s' '## Found' | {program} effort log -",
        f"{program} effort log - <<'END'\n## Found\n* prose\nEND",
        f"{program} effort log \"$(cat <<'END'\n{words}\nEND\n)\"",
    ]
    steps = [bash("echo one"), bash("echo two"), bash("echo three"), bash("echo held")]
    turns = [turn for spelling in spellings for turn in (*steps, bash(spelling))]
    start = bash(f"{program} effort start tasks/parser implement")
    ran = run(project, interlock, start, *turns, say("bye"), pinned=pinned)
    results = ran.tool_results()[1:]

    held, freed = results[3::5], results[4::5]
    assert all(BLOCKED in result and program in result for result in held), held
    assert all("1_IMPLEMENT_LOG.md" in result for result in freed), freed


def test_without_the_rules_the_client_asks_and_install_says_so(
    project: Path, interlock: InterlockHome
) -> None:
    """The control: what nobody is there to allow is refused by the client itself."""
    interlock.call("uninstall", "claude-code")
    said = interlock.call("install", "claude-code").stdout
    program = str(interlock.folder / "bin" / "interlock")
    file = project / "tasks" / "parser" / "1_IMPLEMENT_HANDOVER_1.json"
    write = use("Write", file_path=str(file), content="{}")
    ran = run(project, interlock, bash(f"{program} effort list"), write, say("bye"))

    assert f"`Bash(interlock *)`, `Bash({program} *)`, `Edit(*_HANDOVER_*.json)`" in said
    assert "requires approval" in ran.tool_results()[0]
    assert not file.exists()
