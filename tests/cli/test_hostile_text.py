"""Texts that would steer a terminal, in every field an agent or a hook can fill, read from a real one."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import PROJECT, Home, event, remove, wait_for
from tests.terminal import at_terminal

pytestmark = [pytest.mark.req("Z09"), pytest.mark.deep]

# Clear the screen, set the title, turn writing round, sequences in their one-byte form, a line of its own.
HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202eevil\u2066\u009b31m\u009d0;owned\u009c\r\nallow\x08\x7f\u200b\u2028x"
POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {{name: says, type: command, matcher: "Bash(say *)", config: {{command: "cat {answer}"}}}}
    - {{name: fails, type: command, matcher: "Bash(fail *)", config: {{command: "cat {noise} >&2; exit 1"}}}}
    - {{name: "asks\\e[2J", type: ask, matcher: "Bash(ask *)", config: {{reason: "{reason}"}}}}
"""


# Several commands in one process: its start takes longer than they do.
TYPED = """
import json, sys
from interlock.cli.main import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["interlock", *words]
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    if code:
        sys.exit(code)
"""


def hostile(field: str) -> str:
    """The text, and where it stood."""
    return f"{field}!{HOSTILE}"


def bash(command: str, **fields: Any) -> dict[str, Any]:
    """A shell command about to run, with nobody there to ask."""
    return {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "permission_mode": "bypassPermissions",
        **fields,
    }


# What each report carries the text in.
EVENTS: dict[str, dict[str, Any]] = {
    "command": bash(f"echo {hostile('command')}"),
    "reason": bash("say it"),
    "stderr": bash("fail now"),
    "ask": bash(f"ask {hostile('ask')}"),
    "actor": bash("ls", agent_id="1", agent_type=hostile("actor")),
    "cwd": bash("ls", cwd=f"{PROJECT}/{hostile('cwd')}"),
    "tool": {"tool_name": hostile("tool"), "tool_input": {"x": 1}},
    "argument": {"tool_name": "mcp__x__y", "tool_input": {hostile("argument"): hostile("argument")}},
    "session": bash("ls", session_id=hostile("session")),
    "use": bash("ls", tool_use_id=hostile("use")),
    "prompt": {"name": "UserPromptSubmit", "prompt": hostile("prompt")},
    "output": {"name": "PostToolUse", **bash("ls"), "tool_response": {"stdout": hostile("output")}},
    "error": {"name": "PostToolUseFailure", **bash("ls"), "error": hostile("error")},
    "extra": {"name": "Notification", hostile("extra"): hostile("extra")},
    "event": {"name": hostile("event")},
    "mode": bash("ls", permission_mode=hostile("mode")),
}


def report(home: Home, field: str) -> None:
    """Tell the daemon of it."""
    home.call(event(**EVENTS[field]))


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """A home whose ledger is full of them; the daemon still serves."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    answer, noise = home.folder / "answer.json", home.folder / "noise"
    answer.write_text(json.dumps({"decision": "deny", "reason": hostile("reason")}))
    noise.write_text(hostile("stderr"))
    reason = json.dumps(hostile("why"))[1:-1]
    home.write_policy(POLICY.format(answer=answer, noise=noise, reason=reason))
    home.start()
    for field in EVENTS:
        report(home, field)
    wait_for(lambda: len(recorded(home)) == len(EVENTS), "everything is recorded")
    yield home
    home.end()
    remove(home.folder)


def recorded(home: Home) -> list[int]:
    """The places of what was reported."""
    return [entry.seq for entry in home.entries() if entry.op in {"decision", "refused", "gap"}]


def screen_of(home: Home, *commands: tuple[str, ...], **env: str) -> str:
    """What a person sees who types these, one after the other."""
    given = {"INTERLOCK_HOME": str(home.folder), "TERM": "xterm-256color", "COLUMNS": "400", **env}
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    words = [sys.executable, "-c", TYPED, json.dumps(commands)]
    code, screen = at_terminal(words, env={**kept, **given}, cwd=Path("/"))
    assert code == 0, screen
    return screen


def steering(screen: str) -> set[str]:
    """The characters that are neither text nor the end of a line."""
    return {one for one in screen.replace("\r\n", "") if not one.isprintable()}


@pytest.mark.parametrize(
    "words",
    [
        ("ledger", "list"),
        ("ledger", "tail"),
        ("ledger", "stats"),
        ("ledger", "search", "owned"),
        ("approvals", "list"),
        ("approvals", "show", "ap_1"),
        ("grants", "list"),
        ("daemon", "status"),
    ],
    ids=" ".join,
)
def test_nothing_in_a_list_steers_the_terminal(home: Home, words: tuple[str, ...]) -> None:
    """Every line is one line, and what would be obeyed is written out, for people and for scripts."""
    screen = screen_of(home, words, (*words, "--json"), NO_COLOR="1")

    assert steering(screen) == set()
    assert screen.strip()


def test_nothing_in_an_entry_steers_the_terminal(home: Home) -> None:
    """Neither what a person reads, nor the whole entry, where each field is written out."""
    shown = [("ledger", "show", str(seq)) for seq in recorded(home)]
    whole = screen_of(home, *[(*words, "--json") for words in shown], NO_COLOR="1")
    plain = whole.replace("\\\\", "\\")

    assert steering(screen_of(home, *shown, NO_COLOR="1")) == set()
    assert steering(whole) == set()
    assert [field for field in (*EVENTS, "why") if f"{field}!\\u001b[2J" not in plain] == []


def test_colours_are_the_only_thing_a_terminal_obeys(home: Home) -> None:
    """Where colour is wanted, every escape is one of ours: how bright, which colour."""
    own = re.compile(r"\x1b\[[0-9;]*m")
    screen = screen_of(
        home, ("ledger", "list"), ("approvals", "show", "ap_1"), ("hooks", "explain", f"say {HOSTILE}")
    )

    assert own.search(screen)
    assert steering(own.sub("", screen)) == set()


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_nothing_that_is_watched_live_steers_the_terminal(home: Home, form: tuple[str, ...]) -> None:
    """Whoever watches sees each decision on a line of its own."""
    seen: list[str] = []
    count = str(len(EVENTS))
    watching = threading.Thread(
        target=lambda: seen.append(screen_of(home, ("tail", "-n", count, *form), NO_COLOR="1"))
    )
    watching.start()

    def ended() -> bool:
        for field in EVENTS:
            report(home, field)
        return not watching.is_alive()

    wait_for(ended, "as many were seen as were asked for")
    watching.join()

    assert steering(seen[0]) == set()
    assert len(seen[0].splitlines()) == len(EVENTS) + (not form)  # and a header for people
    for field in ("command", "tool", "actor"):
        assert f"{field}!" in seen[0]


@pytest.mark.parametrize(
    "command",
    [
        f"echo {HOSTILE}",
        f"say {HOSTILE}",
        f"fail {HOSTILE}",
        f"ask {HOSTILE}",
        f"cat <<< '{HOSTILE}' > {HOSTILE}",
    ],
    ids=["read", "reason", "stderr", "ask", "effects"],
)
def test_nothing_that_is_explained_steers_the_terminal(home: Home, command: str) -> None:
    """Neither the command, nor what it would change, nor what hooks say of it, nor who acts."""
    words = ("hooks", "explain", command, "--actor", f"agent:{HOSTILE}")
    screen = screen_of(home, words, (*words, "--json"), NO_COLOR="1")

    assert steering(screen) == set()
    assert "[2J" in screen
