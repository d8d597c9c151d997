"""Plays a recorded agent session through the engine and prints every decision with its trace."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from interlock.actor import ActorMap
from interlock.cli.explain import as_text
from interlock.config.layers import load_policy
from interlock.engine import Engine
from interlock.event import Event
from interlock.source import Layer
from interlock.tool import ToolCall

HERE = Path(__file__).parent


class Moment(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One line of the recording."""

    event: str
    note: str
    tool: str | None = None
    input: dict[str, Any] = {}
    output: Any = None
    prompt: str | None = None
    subagent: str | None = None


def event_of(moment: Moment, actors: ActorMap, cwd: str) -> Event:
    """The recorded moment as the engine sees it."""
    return Event(
        name=moment.event,
        session_id="demo",
        cwd=cwd,
        actor=actors.of_subagent(moment.subagent) if moment.subagent else actors.of_main(),
        parent_actor=actors.of_main() if moment.subagent else None,
        agent_type=moment.subagent,
        tool=ToolCall(name=moment.tool, input=moment.input) if moment.tool else None,
        tool_output=moment.output,
        prompt=moment.prompt,
    )


def main() -> int:
    """Play the session in a temporary folder."""
    os.chdir(HERE.parent)
    policy = load_policy([(Layer.USER, Path("demo/genesis.key"))], environ=os.environ)
    engine = Engine(policy.hooks, revision=policy.revision)
    count: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="interlock-demo-") as folder:
        for line in (HERE / "session.jsonl").read_bytes().splitlines():
            moment = msgspec.json.decode(line, type=Moment)
            event = event_of(moment, policy.actors, folder)
            decision = engine.decide_sync(event)
            count[decision.outcome] += 1
            shown = f" {msgspec.json.encode(moment.input).decode()}" if moment.tool else ""
            print(f"\n# {moment.note}\n{event.name} {moment.tool or ''}{shown} as {event.actor}")
            print(as_text(decision))
    engine.close()
    print("\n" + ", ".join(f"{number} {word}" for word, number in sorted(count.items())), end="")
    print(f" under policy revision {policy.revision}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
