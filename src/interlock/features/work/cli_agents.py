"""`interlock agents`: everybody who is at work, and how they are."""

from __future__ import annotations

from typing import Any

from interlock.features.work.cli_request import JsonLines, Limit, ask_work
from interlock.features.work.cli_text import agents as table


def agents(limit: Limit = 200, as_json: JsonLines = False) -> int:
    """Print every agent, those first that need a person most; `interlock fleet` shows them live."""

    def say(found: dict[str, Any]) -> str:
        return "\n".join(table(found["agents"])) if found["agents"] else "no agents have been seen yet"

    return ask_work("agents", {"limit": limit}, say, as_json=as_json, rows="agents")
