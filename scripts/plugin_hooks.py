#!/usr/bin/env python3
"""Write the hooks and the version of the Claude Code plugin. Run by `python -m scripts.plugin_hooks`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from interlock.hosts.claude_code.entries import our_handlers
from interlock.version import __version__

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "plugins" / "interlock"
HOOKS = PLUGIN / "hooks" / "hooks.json"
MANIFEST = PLUGIN / ".claude-plugin" / "plugin.json"
_GUARD = '/bin/sh "${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh"'


def hooks() -> str:
    """The events that every installation reports, each handed to the guard.

    The shell runs it: where the guard is missing, `exit 2` denies the call on older clients, too.
    """
    events = {
        event: [{"hooks": [_entry(event, handler)]}] for event, handler in our_handlers("", [], []).items()
    }
    return json.dumps({"hooks": events}, indent=2) + "\n"


def _entry(event: str, handler: dict[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in handler.items() if key not in {"type", "command", "args"}}
    closed = " || exit 2" if "onFailure" in handler else ""
    return {"type": "command", "command": f"{_GUARD} {event}{closed}", **rest}


def manifest() -> str:
    """The plugin's manifest with the version of the package."""
    document = json.loads(MANIFEST.read_text("utf-8"))
    text = json.dumps({**document, "version": __version__}, indent=2)
    return text + "\n"


def main() -> None:
    """Write both files."""
    for file, text in ((HOOKS, hooks()), (MANIFEST, manifest())):
        file.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{file.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
