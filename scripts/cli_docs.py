#!/usr/bin/env python3
"""Write docs/cli.md: every command in its section, with its help. Run by `python -m scripts.cli_docs`.

What people wrote on the page before the first section, and around the help of a command, stays.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from interlock.cli.app import make_app
from interlock.cli.help import arranged

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "cli.md"
WIDTH = 100
NOTES = re.compile(
    r"^#{2,4} (?P<command>interlock [a-z -]*)\n(?P<before>(?:(?!^#{2,4} ).)*?)<!-- help -->\n"
    r".*?<!-- end -->\n(?P<after>.*?)(?=^#{2,4} |\Z)",
    re.DOTALL | re.MULTILINE,
)
OTHERS = "Other names"


def helps() -> dict[str, str]:
    """The help of each command, by what a person types; the other names of a command are left out."""
    return {name: text for name, text, _ in _helps(_program(), "interlock", None)}


def _program() -> Any:
    return arranged(typer.main.get_command(make_app()), everything=True)


def _helps(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str, str]]:
    # Plain text: boxes and colours would say more about the terminal than about the command.
    command.rich_markup_mode = None
    settings = command.context_settings if parent is None else {}
    context = command.context_class(command, info_name=name, parent=parent, terminal_width=WIDTH, **settings)
    if parent is not None:
        text = command.get_help(context)
        yield context.command_path, "\n".join(line.rstrip() for line in text.splitlines()), _section(command)
    for below, child in getattr(command, "commands", {}).items():
        if not _section(child).startswith(OTHERS):
            yield from _helps(child, below, context)


def _section(command: Any) -> str:
    return command.rich_help_panel if isinstance(command.rich_help_panel, str) else ""


def _screen() -> str:
    """What `interlock --help` shows on a terminal of 80 columns."""
    shown = io.StringIO()
    os.environ |= {"COLUMNS": "80", "_TYPER_FORCE_DISABLE_TERMINAL": "1"}
    with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
        arranged(typer.main.get_command(make_app())).main(["--help"], prog_name="interlock")
    return "\n".join(line.rstrip() for line in shown.getvalue().splitlines()).strip("\n")


def filled(page: str) -> str:
    """The page with the help of every command, and what people wrote about it."""
    notes = {found["command"]: (found["before"], found["after"]) for found in NOTES.finditer(page)}
    start = page[: page.index("## interlock\n")]
    parts = [start, f"## interlock\n\n```text\n{_screen()}\n```\n"]
    section = ""
    for name, text, found in _helps(_program(), "interlock", None):
        if found and found != section:
            section = found
            parts.append(f"\n## {section}\n")
        level = "###" if name.count(" ") == 1 else "####"
        before, after = (text.strip("\n") for text in notes.get(name, ("", "")))
        block = f"<!-- help -->\n```text\n{text}\n```\n<!-- end -->"
        parts.append("\n" + "\n\n".join(filter(None, [f"{level} {name}", before, block, after])) + "\n")
    return "".join([*parts, _others()])


def _others() -> str:
    """A line for each word that is another name of a command."""
    program = _program()
    below = program.commands["commitment"].commands
    rows = [
        (name, f"commitment {name}")
        for name, one in program.commands.items()
        if _section(one).startswith(OTHERS) and name in below
    ]
    table = "\n".join(f"| `interlock {name}` | `interlock {newer}` |" for name, newer in [*rows, *_SAME])
    return f"\n## {OTHERS}\n\nThese words stay valid.\n\n| word | today |\n|---|---|\n{table}\n"


_SAME = (("genesis validate FILE", "check FILE"), ("hooks lint", "check"), ("hooks explain", "explain"))


def main() -> None:
    """Write the page."""
    page = filled(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}: {page.count('<!-- help -->')} commands\n")


if __name__ == "__main__":
    main()
