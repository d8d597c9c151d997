#!/usr/bin/env python3
"""Write the help of every command into docs/cli.md. Run by `python -m scripts.cli_docs`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from interlock.cli.app import make_app

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "cli.md"
WIDTH = 100
BLOCK = re.compile(r"(<!-- help: (?P<command>[^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def helps() -> dict[str, str]:
    """The help of the program and of each command, by what a person types."""
    return dict(_helps(typer.main.get_command(make_app()), "interlock", None))


def _helps(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str]]:
    # Plain text: boxes and colours would say more about the terminal than about the command.
    command.rich_markup_mode = None
    settings = command.context_settings if parent is None else {}
    context = command.context_class(command, info_name=name, parent=parent, terminal_width=WIDTH, **settings)
    text = command.get_help(context)
    yield context.command_path, "\n".join(line.rstrip() for line in text.splitlines())
    for below, child in getattr(command, "commands", {}).items():
        yield from _helps(child, below, context)


def filled(page: str) -> str:
    """The page with every marked block holding the help of its command."""
    found = helps()

    def block(match: re.Match[str]) -> str:
        return f"{match[1]}```text\n{found[match['command']]}\n```\n{match[3]}"

    return BLOCK.sub(block, page)


def main() -> None:
    """Fill the page and say which commands it does not show."""
    page = filled(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
    shown = {match["command"] for match in BLOCK.finditer(page)}
    for missing in helps().keys() - shown:
        sys.stderr.write(f"`{missing}` is not on the page; add a `<!-- help: {missing} -->` block\n")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}: {len(shown)} commands\n")


if __name__ == "__main__":
    main()
