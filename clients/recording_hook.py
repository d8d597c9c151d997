"""A command hook that notes what it was given and answers from a list: the plainest hook a client can run."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clients.turns import JsonObject

_SCRIPT: Final = """\
import json, os, sys
payload = json.load(sys.stdin)
with open({log!r}, "a+") as log:
    log.seek(0)
    run = len(log.readlines())
    log.write(json.dumps({{"payload": payload, "env": dict(os.environ)}}) + "\\n")
answers = json.loads({answers!r})
if run < len(answers) and answers[run] is not None:
    print(json.dumps(answers[run]))
"""


@dataclass(frozen=True, kw_only=True)
class Noted:
    """One run of the hook."""

    payload: JsonObject
    env: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class RecordingHook:
    """A script on disk and the notes it leaves."""

    script: Path
    log: Path

    def settings(self, *events: str) -> JsonObject:
        """Client settings that run it for some events."""
        command = shlex.join([sys.executable, "-I", str(self.script)])
        group = {"hooks": [{"type": "command", "command": command, "timeout": 20}]}
        return {"hooks": {event: [group] for event in events}}

    def noted(self) -> list[Noted]:
        """What it was given, run by run."""
        if not self.log.exists():
            return []
        return [Noted(**json.loads(line)) for line in self.log.read_text("utf-8").splitlines()]


def recording_hook(folder: Path, answers: Sequence[JsonObject | None] = ()) -> RecordingHook:
    """Write the hook; its runs give the answers one after the other, then nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    hook = RecordingHook(script=folder / "hook.py", log=folder / "noted.jsonl")
    text = _SCRIPT.format(log=str(hook.log), answers=json.dumps(list(answers)))
    hook.script.write_text(text, encoding="utf-8")
    return hook


def specific(event: str, **fields: object) -> JsonObject:
    """An answer in the client's own form."""
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}
