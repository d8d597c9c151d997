"""Payloads recorded from the real client, and the schema its replies have to fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from interlock.events.event import Event
from interlock.hosts.claude_code.host import ClaudeCode
from interlock.hosts.claude_code.write import FOR_THE_SUMMARY
from interlock.hosts.host import Reply

HOST: Final = ClaudeCode()
AT_THE_TERMINAL: Final = {"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_PROJECT_DIR": "/project"}
HEADLESS: Final = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}

FOLDER: Final = Path(__file__).parents[2] / "fixtures" / "claude-code"
RECORDED: Final = sorted(file.name for file in FOLDER.glob("*.json"))
SCHEMA: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("reply.schema.json").read_text("utf-8"))


def recorded(name: str) -> bytes:
    """The bytes of one recorded payload."""
    return (FOLDER / name).read_bytes()


def read(name: str, env: dict[str, str] = HEADLESS, **changed: Any) -> Event:
    """The event of a recorded payload, with some fields set to other values."""
    fields = json.loads(recorded(name)) | changed
    return HOST.read(json.dumps(fields).encode(), env)


def flaws(event_name: str, reply: Reply) -> list[str]:
    """What is wrong with a reply to an event; nothing printed is always right."""
    if not reply.stdout:
        return []
    if event_name == "PreCompact" and reply.stdout.startswith(FOR_THE_SUMMARY.encode()):
        return []  # an instruction in plain words
    schema = SCHEMA | {"$ref": f"#/$defs/{event_name}"}
    found = Draft202012Validator(schema).iter_errors(json.loads(reply.stdout))
    return [error.message for error in found]
