"""Plays a recorded agent session through the real shim, in a home of its own, and shows what was recorded."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from interlock.cli.output import columns
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.store.database import open_to_read

HERE = Path(__file__).parent
INTERLOCK = Path(sys.executable).with_name("interlock")
ASKING = 7  # the moment of the session that needs a person, counted from 0


class Demo:
    """One home, one project, one installed client."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        config = self.home / "interlock" / "config"
        for made in (config, self.project / "src"):
            made.mkdir(parents=True)
        (config / "genesis.key").write_bytes((HERE / "genesis.key").read_bytes())
        self.env = {
            "PATH": os.defpath,
            "HOME": str(self.home),
            "INTERLOCK_HOME": str(self.home / "interlock"),
            "COLUMNS": "160",
        }

    def interlock(self, *words: str) -> str:
        """Run a command as a person would, and give what it prints."""
        done = subprocess.run(
            [INTERLOCK, *words], cwd=self.project, env=self.env, capture_output=True, text=True, check=False
        )
        return (done.stdout + done.stderr).replace(str(self.home.parent), "").rstrip()

    def shim(self) -> list[str]:
        """The command the client runs, read where the client reads it."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        handler = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        return [handler["command"], *handler["args"]]

    def play(self, command: list[str], payload: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """Report one moment the way the client does; the answer and how long it took."""
        data = json.dumps({**payload, "cwd": str(self.project)}).encode()
        start = time.perf_counter()
        done = subprocess.run(command, input=data, capture_output=True, env={}, cwd=self.project, check=False)
        seconds = time.perf_counter() - start
        return (json.loads(done.stdout) if done.stdout else {}), seconds

    def trace(self, number: int) -> list[str]:
        """What every hook said about the moment of that number, as the ledger has it; columns align."""
        entry = self._entry(number)
        rows = [
            (row["vote"], row["hook"], row["source"].removeprefix(str(self.home)), row.get("reason", ""))
            for row in entry.body.get("trace", [])
            if row["outcome"] != "skipped"
        ]
        return [f"  {line}" for line in columns([(f"[{vote}]", *rest) for vote, *rest in rows])]

    def _entry(self, number: int) -> Entry:
        # What is only observed is written within 50 ms; nobody waits for it but us.
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with contextlib.closing(
                open_to_read(self.home / "interlock" / "state" / "interlock.db")
            ) as database:
                entries = LedgerReader(database).after(0)
            decisions = [entry for entry in entries if entry.op == "decision"]
            if len(decisions) >= number:
                return decisions[number - 1]
            time.sleep(0.01)
        raise TimeoutError(f"moment {number} was not recorded")


def said(answer: dict[str, Any]) -> str:
    """The answer in a few words."""
    specific = answer.get("hookSpecificOutput", {})
    words = [specific.get("permissionDecision", "no objection")]
    for key in ("permissionDecisionReason", "additionalContext", "updatedInput"):
        if key in specific:
            value = specific[key]
            words.append(value if isinstance(value, str) else json.dumps(value))
    return ": ".join(words)


def main() -> int:
    """Play the session and leave nothing behind."""
    with tempfile.TemporaryDirectory(prefix="il-", ignore_cleanup_errors=True) as folder:
        demo = Demo(Path(folder))
        try:
            play(demo)
        finally:
            print("\n$ interlock daemon stop\n" + demo.interlock("daemon", "stop"))
    return 0


def play(demo: Demo) -> None:
    """Install, report every recorded moment, say yes to the one that asked, show the record."""
    print("$ interlock install claude-code\n" + demo.interlock("install", "claude-code"))
    shim = demo.shim()
    moments = [json.loads(line) for line in (HERE / "session.jsonl").read_text().splitlines()]
    for number, moment in enumerate(moments, start=1):
        report(demo, shim, number, moment["note"], moment["payload"])
    approve(demo, shim, len(moments) + 1, moments[ASKING]["payload"])
    for words in (("log",), ("ledger", "verify"), ("daemon", "status")):
        show(demo, *words)


def report(demo: Demo, shim: list[str], number: int, note: str, payload: dict[str, Any]) -> None:
    """Report one moment, and show what every hook said and what came back."""
    answer, seconds = demo.play(shim, payload)
    call = f" {payload['tool_name']} {json.dumps(payload['tool_input'])}" if "tool_name" in payload else ""
    print(f"\n# {note}\n{payload['hook_event_name']}{call}")
    print("\n".join([*demo.trace(number), f"  -> {said(answer)}   ({seconds * 1000:.1f} ms)"]))


def approve(demo: Demo, shim: list[str], number: int, asked: dict[str, Any]) -> None:
    """A person answers the request; the same call then passes once."""
    show(demo, "approvals", "list")
    show(demo, "approvals", "approve", "ap_1", "--yes", "--note", "only a format")
    for again, note in enumerate(("the approved call, tried again", "an approval covers one call")):
        payload = {**asked, "tool_use_id": f"{asked['tool_use_id']}-{again}"}
        report(demo, shim, number + again, note, payload)


def show(demo: Demo, *words: str) -> None:
    """Print a command and what it prints."""
    print(f"\n$ interlock {shlex.join(words)}\n{demo.interlock(*words)}")


if __name__ == "__main__":
    sys.exit(main())
