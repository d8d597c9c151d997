"""Run as a program with a small, full temporary folder at TMPDIR and /tmp: calls a daemon there and reports.

`python full_temp.py HOME` prints one line of JSON: what each call came to, and what the ledger holds.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.daemon.home import Home, bash, decided, event, wait_for

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: stop, type: deny, matcher: "Bash(git push *)", config: {reason: "not today"}}
    - {name: look, type: command, matcher: "Bash(make *)", config: {command: "cat > $TMPDIR/seen; exit 2"}}
"""
READ: dict[str, Any] = {"tool_name": "Read", "tool_input": {"file_path": "/usr/share/x"}}
CALLS = {
    "pass": bash("ls", tool_use_id="pass"),
    "deny": bash("git push", tool_use_id="deny"),
    "long": bash(f"echo {'x' * 30_000}; git push", tool_use_id="long"),
    "hook": bash("make all", tool_use_id="hook"),
    "large": event(**READ, content="x" * 9_000_000, tool_use_id="large"),
    "after": event("PostToolUse", **READ, tool_response={}, tool_use_id="after"),
}


def fill(folder: Path) -> int:
    """Leave no byte and no name; gives how much was written."""
    written = 0
    try:
        with (folder / "ballast").open("wb", buffering=0) as file:
            while True:
                written += file.write(bytes(4_096))
    except OSError:
        return written


def main() -> None:
    """Fill it before the daemon starts, so that starting is part of it."""
    home = Home(folder=Path(sys.argv[1]))
    home.write_policy(POLICY)
    home.write_launch()
    written = [fill(folder) for folder in {Path(os.environ["TMPDIR"]), Path("/tmp")}]
    try:
        home.start(env={"TMPDIR": os.environ["TMPDIR"]})
        answers = {name: decided(home.shim(payload)) for name, payload in CALLS.items()}
        wait_for(lambda: len(home.entries("decision")) >= len(CALLS), "what is observed is recorded too")
        entries = [entry.body for entry in home.entries("decision")]
        recorded = {body["tool_use_id"]: body["decision"] for body in entries}
        found = {"written": written, "answers": answers, "recorded": recorded, "broken": home.broken()}
        sys.stdout.write(json.dumps(found) + "\n")
    finally:
        home.end()


if __name__ == "__main__":
    main()
