"""Laws of the log of shell commands: when each began, how long it took, how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from interlock.cli.app import make_app
from interlock.cli.policy_source import here
from interlock.features.ledger_tools.cli_stats import ShellCall, ShellOutcome, shell_log
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


class LedgerSetup:
    """A ledger that is written to with a clock of its own."""

    def __init__(self, path: Path) -> None:
        self.connection = open_database(path)
        self.now = 1_700_000_000.0
        self.writer = LedgerWriter(self.connection, clock=lambda: self.now)

    def tell(self, event: str, use_id: str | None = "t1", *, op: str = "decision", **body: Any) -> None:
        """What the daemon records of one event of a shell call."""
        told = {"session_id": "s1", "event": event, "tool": "Bash", "decision": "allow", **body}
        if use_id is not None:
            told["tool_use_id"] = use_id
        self.writer.append(op, "agent:main", "/w", told)
        self.writer.flush()
        self.now += 2.5

    def log(self) -> list[ShellCall]:
        return list(shell_log(LedgerReader(self.connection).page(limit=1000)))


@pytest.fixture
def setup(home: Path) -> Iterator[LedgerSetup]:
    """The ledger of a home of its own."""
    made = LedgerSetup(here().database)
    with closing(made.connection):
        yield made


LS: dict[str, Any] = {"tool_input": {"command": "ls"}}


@pytest.mark.req("U28")
def test_a_command_has_its_time_its_duration_and_its_end(setup: LedgerSetup) -> None:
    """By the times of its two entries where the host tells no duration."""
    setup.tell("PreToolUse", **LS, cwd="/w")
    setup.tell("PostToolUse", **LS)

    (call,) = setup.log()

    assert (call.command, call.outcome, call.duration_ms) == ("ls", ShellOutcome.SUCCEEDED, 2500.0)
    assert (call.started, call.ended) == ("2023-11-14T22:13:20.000Z", "2023-11-14T22:13:22.500Z")
    assert (call.actor, call.session_id, call.cwd, call.seq) == ("agent:main", "s1", "/w", 1)


@pytest.mark.req("U28")
def test_what_the_host_tells_of_the_duration_stands(setup: LedgerSetup) -> None:
    """It measured; we would have counted its own prompts in."""
    setup.tell("PreToolUse", **LS)
    setup.tell("PostToolUse", **LS, extra={"duration_ms": 41})

    assert setup.log()[0].duration_ms == 41.0


@pytest.mark.req("U28")
@pytest.mark.parametrize(
    ("begin", "end", "outcome", "reason"),
    [
        ({}, {"event": "PostToolUseFailure", "error": "Exit code 1"}, ShellOutcome.FAILED, "Exit code 1"),
        (
            {},
            {"event": "PostToolUseFailure", "extra": {"is_interrupt": True}},
            ShellOutcome.INTERRUPTED,
            None,
        ),
        ({}, {"event": "PermissionDenied", "extra": {"reason": "no"}}, ShellOutcome.REFUSED, "no"),
        ({"decision": "deny", "reason": "no rm"}, None, ShellOutcome.DENIED, "no rm"),
        (
            {"decision": "deny", "op": "refused", "reason": "no policy"},
            None,
            ShellOutcome.DENIED,
            "no policy",
        ),
        ({"decision": "ask", "reason": "look"}, None, ShellOutcome.OPEN, None),
        ({}, None, ShellOutcome.OPEN, None),
    ],
)
def test_every_end_has_its_word(
    setup: LedgerSetup,
    begin: dict[str, Any],
    end: dict[str, Any] | None,
    outcome: ShellOutcome,
    reason: str | None,
) -> None:
    """Also what a hook denied, what the host refused and what nobody saw the end of."""
    setup.tell("PreToolUse", **{**LS, **begin})
    if end is not None:
        setup.tell(**{**LS, **end})

    (call,) = setup.log()

    assert (call.outcome, call.reason) == (outcome, reason)


@pytest.mark.req("U28")
def test_calls_at_the_same_time_keep_their_own_ends(setup: LedgerSetup) -> None:
    """The host's id ties both ends; without one the command does."""
    setup.tell("PreToolUse", "a", tool_input={"command": "one"})
    setup.tell("PreToolUse", "b", tool_input={"command": "two"})
    setup.tell("PreToolUse", None, tool_input={"command": "three"})
    setup.tell("PostToolUse", None, tool_input={"command": "three"})
    setup.tell("PostToolUse", "a", tool_input={"command": "one"})
    setup.tell("PostToolUseFailure", "b", tool_input={"command": "two"})

    found = {call.command: call.outcome for call in setup.log()}

    assert found == {
        "three": ShellOutcome.SUCCEEDED,
        "two": ShellOutcome.FAILED,
        "one": ShellOutcome.SUCCEEDED,
    }


@pytest.mark.req("U28")
def test_what_ran_is_told_and_not_what_was_asked_for(setup: LedgerSetup) -> None:
    """A hook may have changed the command."""
    setup.tell("PreToolUse", **LS, updated_input={"command": "ls -l"})

    assert setup.log()[0].command == "ls -l"


@pytest.mark.req("U28")
def test_the_log_is_printed_newest_first_and_filtered(setup: LedgerSetup) -> None:
    """A row for each command; other tools and other moments are none of it."""
    setup.tell("PreToolUse", "a", tool_input={"command": "make"})
    setup.tell("PreToolUse", "r", tool="Read", tool_input={"file_path": "/x"})
    setup.tell("PostToolUseFailure", "a", error="Exit code 2")
    setup.tell("PreToolUse", "b", tool_input={"command": "rm -rf \x1b[2J/"}, decision="deny")
    setup.tell("Stop", None, tool=None)

    app = make_app()
    shown = CliRunner().invoke(app, ["ledger", "audit"]).stdout.splitlines()
    failed = CliRunner().invoke(app, ["ledger", "audit", "--outcome", "failed", "--json"]).stdout
    early = (
        CliRunner()
        .invoke(make_app(), ["ledger", "audit", "--until", "2023-11-14T22:13:21Z", "--json"])
        .stdout
    )

    assert [line.split()[0] for line in shown] == ["SEQ", "4", "1"]
    assert "\\x1b[2J/" in shown[1]
    assert "5.0 s" in shown[2]
    assert msgspec.json.decode(failed)["command"] == "make"
    assert msgspec.json.decode(early)["outcome"] == "failed"


@pytest.mark.req("U8", "U28")
def test_every_shell_tool_is_in_the_log(setup: LedgerSetup) -> None:
    """Under its other name, of an MCP server or an unknown host; without a command it is not a shell."""
    for tool, given in {
        "execute_bash_command": {"command": "touch a"},
        "mcp__shell__run_command": {"command": "rm", "args": ["-f", "b c"]},
        "PowerShell": {"command": "ni d"},
        "exec_command": {"cmd": "touch e"},
        "shell": {"command": ["bash", "-lc", "touch f"]},
        "mcp__files__read": {"path": "/x"},
        "Grep": {"pattern": "x", "command": "no"},
    }.items():
        setup.tell("PreToolUse", tool, tool=tool, tool_input=given)
        setup.tell("PostToolUse", tool, tool=tool)

    found = {call.command: call.outcome for call in setup.log()}

    commands = ["bash -lc 'touch f'", "touch e", "ni d", "rm -f 'b c'", "touch a"]
    assert found == dict.fromkeys(commands, ShellOutcome.SUCCEEDED)
    shown = CliRunner().invoke(make_app(), ["ledger", "audit"]).stdout.splitlines()
    assert len(shown) == 1 + len(commands)
