"""Projects with toolchains, and what becomes of a command in them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.builtin_hooks.making import bash, command_after

from interlock.engine.engine import Engine

SCRIPTS = dict.fromkeys(("test", "build", "lint", "e2e", "smoke"), "x")
PACKAGE = json.dumps({"scripts": SCRIPTS})
TARGETS = "test build lint e2e smoke"


def project(folder: Path, **files: str) -> Path:
    """A folder with these files; two underlines stand for a dot."""
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


def after(engine: Engine, command: str, folder: Path) -> str | None:
    return command_after(engine.decide_sync(bash(command, folder)))


def makefile(*targets: str) -> str:
    return "".join(f"{target}:\n\ttrue\n" for target in targets)
