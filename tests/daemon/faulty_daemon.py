"""Run as a program: the n-th change to a file goes wrong inside a daemon, for every n; reports what held.

`python faulty_daemon.py LIBRARY FOLDER MODE EVERY` forks one daemon per n, in a home of its own, and calls it
as hosts do. Then a second daemon starts on what is left and must decide the same calls under other ids. One
line of JSON per n goes to the output; the last is the run nothing happened to. EVERY skips values of n, for
a shorter run. The database is there before: that making one can go wrong anywhere is another test's law.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.daemon.home import Home, bash, decided, event, remove, wait_for

from interlock.daemon import process as running
from interlock.daemon.client import DaemonError
from interlock.store.database import open_database

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: stop, type: deny, matcher: "Bash(git push *)", config: {reason: "not today"}}
    - {name: who, type: ask, matcher: "Bash(make release*)", config: {reason: "is it ready?"}}
    - {name: first, type: command, matcher: "Read", once: true, config: {command: "exit 0"}}
"""
LIMIT = 5_000  # far more changes than one run makes
READ: dict[str, Any] = {"tool_name": "Read", "tool_input": {"file_path": "/usr/share/x"}}
# The calls of one run, and what each must come to.
CALLS = {
    "pass": (bash("ls", tool_use_id="pass"), None),
    "once": (event(**READ, tool_use_id="once"), None),
    "deny": (bash("git push origin", tool_use_id="deny"), "deny"),
    "long": (bash(f"echo {'x' * 30_000}", tool_use_id="long"), None),
    "after": (event("PostToolUse", **READ, tool_response={"a": 1}, tool_use_id="after"), None),
    "ask": (bash("make release", tool_use_id="ask", permission_mode="bypassPermissions"), "deny"),
}

Answers = dict[str, tuple[str | None, str]]


def fork_daemon(home: Home, library: ctypes.CDLL, mode: int, n: int) -> int:
    """A daemon as our own child; forked and not started, for its imports take longer than its life here."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        running._SETTLE_AFTER_SECONDS = 0.005  # type: ignore[misc] # else it would come after the last call
        library.faults_arm(mode, n)
        code = running.run(home.places)
    except BaseException as error:  # noqa: BLE001 - a child must never go on as its parent
        (home.folder / "error").write_text(repr(error))
    finally:
        touched = library.faults_seen() >= n
        library.faults_arm(0, 0)
        (home.folder / "touched").write_text("yes" if touched else "no")
        os._exit(code)


def alive(pid: int) -> bool:
    """Whether our child still runs."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def call_all(home: Home, pid: int, turn: str) -> Answers:
    """The answers that came before the daemon ended, by the id of their call without the turn's own part."""
    found: Answers = {}
    for name, (payload, _) in CALLS.items():
        mine = payload.replace(f'"tool_use_id": "{name}"'.encode(), f'"tool_use_id": "{name}{turn}"'.encode())
        try:
            found[name] = decided(home.call(mine))
        except DaemonError:
            wait_for(lambda: not alive(pid), "a daemon that gives no answer has ended")
            break
    return found


def serve(home: Home, library: ctypes.CDLL, mode: int, n: int, turn: str) -> dict[str, Any]:
    """One daemon from its start to its end, and what it answered."""
    marks = [home.folder / "error", home.folder / "touched"]
    for mark in marks:
        mark.unlink(missing_ok=True)
    pid = fork_daemon(home, library, mode, n)
    wait_for(lambda: home.status() or not alive(pid), "it answers or has ended")
    answers = call_all(home, pid, turn)
    time.sleep(0.06)  # what was only observed is written by then
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    killed = os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    error, touched = (mark.read_text() if mark.exists() else None for mark in marks)
    return {"answers": answers, "killed": killed, "error": error, "touched": touched != "no"}


def run(home: Home, library: ctypes.CDLL, mode: int, n: int) -> dict[str, Any]:
    """A daemon that has the fault, and one after it that has none."""
    home.write_policy(POLICY)
    open_database(home.places.database).close()
    home.places.gaps.write_text("100 7 PostToolUse passed: the daemon is silent\n")
    first = serve(home, library, mode, n, "")
    second = serve(home, library, 0, 0, "-again")
    entries = home.entries()
    told = Counter(entry.body.get("tool_use_id") for entry in entries if entry.op in {"decision", "refused"})
    gaps = [entry.body for entry in entries if entry.op == "gap"]
    return {
        "n": n,
        **first,
        "wrong": wrong(first["answers"]),
        "unrecorded": [name for name in CALLS if told[name] < (name in first["answers"])],
        "again_unrecorded": [name for name in CALLS if not told[f"{name}-again"]],
        "lost": [gap["lost"] for gap in gaps if "outcomes" not in gap],
        "passed": sum(gap["outcomes"].get("passed", 0) for gap in gaps if "outcomes" in gap),
        "again": second["answers"].keys() == CALLS.keys() and not wrong(second["answers"]),
        "again_ended": [second["killed"], second["error"]],
        "broken": home.broken(),
    }


def wrong(answers: Answers) -> dict[str, list[str | None]]:
    """The answers that are not what the policy says."""
    return {name: list(said) for name, said in answers.items() if said[0] != CALLS[name][1]}


def main() -> None:
    """Every n until a run passes untouched."""
    library = ctypes.CDLL(sys.argv[1])
    folder, mode, every = Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    for n in range(1, LIMIT, every):
        home = Home(folder=folder / str(n))
        home.folder.mkdir()
        found = run(home, library, mode, n)
        remove(home.folder)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        if not found["touched"]:
            return
    raise SystemExit("no run passed untouched")


if __name__ == "__main__":
    main()
