"""Runs the real Claude Code headless against a scripted model, with nothing of this machine's settings."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clients.install import install
from clients.model_request import MAIN, ModelRequest
from clients.model_server import ModelServer
from clients.process_tree import end_tree
from clients.turns import JsonObject, Turn

SECONDS: Final = 180.0
FLAGS: Final = (
    "--output-format=stream-json",
    "--verbose",
    "--include-hook-events",
    "--dangerously-skip-permissions",
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One session, from outside."""

    exit_code: int
    events: list[JsonObject]  # the client's stream-json
    requests: list[ModelRequest]  # everything that reached the model server
    stderr: str
    left: int  # turns of the main conversation that were never asked for

    def conversation(self, marker: str = MAIN) -> list[ModelRequest]:
        """The requests of the main conversation, or of one sub-agent."""
        return [seen for seen in self.requests if seen.conversation == marker]

    def said(self, marker: str = MAIN) -> str:
        """All the model of a conversation was shown by the end."""
        return "\n".join(seen.said() for seen in self.conversation(marker)[-1:])

    def tool_results(self, marker: str = MAIN) -> list[str]:
        """What came back for each tool call, in order."""
        return [text for seen in self.conversation(marker)[-1:] for text in seen.tool_results().values()]

    def hook_responses(self, event: str) -> list[JsonObject]:
        """What the client says of each hook it ran for an event."""
        responses = [found for found in self.events if found.get("subtype") == "hook_response"]
        return [found for found in responses if found.get("hook_event") == event]


def run_claude(
    project: Path,
    home: Path,
    turns: Sequence[Turn],
    prompt: str = "go",
    *,
    agents: Mapping[str, Sequence[Turn]] | None = None,
    settings: JsonObject | None = None,
    extra_args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = (),
    asks: bool = False,
    seconds: float = SECONDS,
) -> Run:
    """Play one session in `project` and give all that can be seen of it; `program` is another start.

    Where it `asks`, it is in its default permission mode: nobody is there, so what needs a word is refused.
    """
    flags = FLAGS[:-1] if asks else FLAGS
    command = [*(program or (str(install()),)), "-p", prompt, *flags, *extra_args]
    if settings is not None:
        command += ["--settings", json.dumps(settings)]
    with ModelServer(turns, agents) as server:
        variables = {**environment(home, server.address), **(env or {})}
        code, stdout, stderr = _finish(command, project, variables, seconds)
        requests, script = server.seen(), server.script
    if script.defects:
        raise script.defects[0]
    events = [json.loads(line) for line in stdout.splitlines() if line.startswith("{")]
    return Run(exit_code=code, events=events, requests=requests, stderr=stderr, left=script.left())


def environment(home: Path, address: str) -> dict[str, str]:
    """All the client gets to see: its own home, the scripted model, and a proxy that lets nothing out."""
    scratch = home / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "TMPDIR": str(scratch),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "IS_SANDBOX": "1",  # the client asks for this before it skips permissions as root
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "test-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), address),
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }


def _finish(command: list[str], cwd: Path, env: Mapping[str, str], seconds: float) -> tuple[int, str, str]:
    """Run to the end, or end it and everything it started when its time is over."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=seconds)
    except BaseException:
        end_tree(process.pid)
        process.communicate()
        raise
    return process.returncode, stdout, stderr
