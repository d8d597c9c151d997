"""A home in which agents were at work, so that every page has something to show."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from tests.daemon.home import Home, bash, event, remove
from tests.features.fleet.crew import Crew

from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

MAIN: Final = "5f0c2a9e-7b41-4f0d-9a56-1d2e3c4b5a69"
OTHER: Final = "c81d4e2e-bcf2-11e6-869b-7df92533d2db"
POLICY: Final = """\
version: "2.0"
settings:
  approval: {expires: 1h}
hooks:
  pre_tool_use:
    - name: no-mirror
      type: deny
      matcher: "Bash(git push --mirror *)"
      config: {reason: a mirror overwrites every branch}
    - {name: pushes, type: ask, matcher: "Bash(git push *)", config: {reason: every push is reviewed}}
    - {name: releases, type: ask, matcher: "Bash(npm publish *)", config: {reason: a release is public}}
    - name: quiet-installs
      type: modify
      matcher: "Bash(npm install *)"
      config: {replace: [{field: command, pattern: "^npm install", with: "npm install --ignore-scripts"}]}
    - {name: known-packages, type: command, matcher: "Bash(npm install *)", config: {command: "exit 0"}}
    - {name: look-alikes, type: command, matcher: "Bash(npm install *)", config: {command: "sleep 0.02"}}
  post_tool_use:
    - name: installs
      type: evidence_capture
      matcher: "Bash(npm install *)"
      config: {kind: command_execution}
  user_prompt_submit:
    - name: house-rules
      type: command
      config: {command: "echo '{\\"decision\\": \\"allow\\", \\"context\\": \\"Test it.\\"}'"}
"""
DONE: Final = ("git status --short", "npm run build", "rg -n total src/cart", "npm test", "git diff --stat")
DENIED: Final = "git push --mirror backup"


@contextmanager
def staged() -> Iterator[Home]:
    """The home with its daemon; what was started in it ends with it."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    home.write_launch()
    home.write_policy(POLICY)
    _work(home)
    home.start()
    try:
        yield home
    finally:
        home.end()
        remove(home.folder)


def play(home: Home) -> None:
    """Two sessions through the real shim: what is allowed, changed, denied, and what waits for a person."""
    tell(home, "SessionStart", source="startup")
    tell(home, "UserPromptSubmit", prompt="The total of a guest's cart is wrong; find out why and fix it.")
    for number, command in enumerate(DONE):
        call(home, command, f"done-{number}", MAIN if number % 3 else OTHER)
    call(home, "npm install left-pad", "changed", ran="npm install --ignore-scripts left-pad")
    home.shim(bash(DENIED, tool_use_id="denied", session_id=MAIN))
    home.shim(bash("git push origin cart", tool_use_id="waits", session_id=MAIN, permission_mode="default"))


def tell(home: Home, name: str, **fields: Any) -> None:
    """An event of the main session that is not a call."""
    home.shim(event(name, session_id=MAIN, **fields))


def call(home: Home, command: str, use_id: str, session: str = MAIN, *, ran: str = "") -> None:
    """A command that ran, perhaps as another one."""
    home.shim(bash(command, tool_use_id=use_id, session_id=session))
    ended = {"tool_name": "Bash", "tool_input": {"command": ran or command}, "tool_use_id": use_id}
    answer = {"stdout": "ok\n", "stderr": "", "interrupted": False}
    home.shim(event("PostToolUse", session_id=session, tool_response=answer, **ended))


def _work(home: Home) -> None:
    """Agents, efforts and what is owed, before the daemon is the one that writes."""
    crew = Crew(database=home.places.database, now=time.time())
    session = crew.effort(MAIN, "implement", phase="2: Build", folder="/usr/share")
    crew.agent(MAIN, "working", label="builder")
    crew.effort(OTHER, "review", folder="/usr/share")
    crew.agent(OTHER, "attention", label="reviewer")
    for name, status in (("tester", "done"), ("writer", "error"), ("scout", "idle")):
        crew.agent(name, status)
    with crew.work() as work:
        work.sessions.beat(session.id, "t-1")
        work.sessions.set_usage(session.id, 0.93)
    with closing(open_database(home.places.database)) as connection:
        writer = LedgerWriter(connection)
        writer.append("capture", "human:ada", "/usr/share", {"body": "seen"}, name="mem_1")
        owed = {"body": "guests see the right total", "source": "mem_1"}
        writer.append("commit", "human:ada", "/usr/share", owed, name="cmt_1")
        writer.flush()
