"""A host that lives on: it reports through the real shim, and runs what it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.daemon.home import SHIM, Home

_HOST = """
import json, os, subprocess, sys
_, shim, home, session, below, cwd = sys.argv
def report(session):
    event = {"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"}
    env = {"CLAUDE_PROJECT_DIR": cwd}
    subprocess.run([shim, "--home", home], input=json.dumps(event).encode(), env=env, stdout=-3, check=True)
report(session)
ends = []
for number in range(int(below)):
    done, tell = os.pipe()
    wait, end = os.pipe()
    if os.fork() == 0:
        os.close(end)
        for one in ends:
            os.close(one)
        report(f"{session}-{number}")
        os.write(tell, b"x")
        os.read(wait, 1)
        os._exit(0)
    os.close(wait)
    os.close(tell)
    os.read(done, 1)
    os.close(done)
    ends.append(end)
print(flush=True)
for line in sys.stdin:
    done = subprocess.run(json.loads(line), capture_output=True, text=True, stdin=-3)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""


@dataclass(frozen=True, kw_only=True)
class LivingAgent:
    """An agent's process, and what it can be told to run."""

    running: subprocess.Popen[str]

    def run(self, *command: str) -> tuple[int, str, str]:
        """Let the agent run a command; its exit code, output and errors."""
        assert self.running.stdin is not None
        assert self.running.stdout is not None
        self.running.stdin.write(json.dumps(command) + "\n")
        self.running.stdin.flush()
        code, out, err = json.loads(self.running.stdout.readline())
        return code, out, err


@contextmanager
def living_agent(
    home: Home, *, session: str = "s-agent", below: int = 0, cwd: str = "/usr", shim: os.PathLike[str] = SHIM
) -> Iterator[LivingAgent]:
    """An agent of a home, with others below it that report sessions of their own."""
    command = [sys.executable, "-c", _HOST, str(shim), str(home.folder), session, str(below), cwd]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        yield LivingAgent(running=running)
        assert running.stdin is not None
        running.stdin.close()
