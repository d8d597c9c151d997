#!/usr/bin/env python3
"""Draw docs/images/terminal.svg from a real run: setup, then two calls through the installed hook.

Run by `python -m scripts.terminal_picture`.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.terminal_theme import MONOKAI
from rich.text import Text
from scripts.guarded_home import GuardedHome

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
WIDTH = 100
CALLS = ("npm test && rm -rf ~", "rm -rf node_modules")  # the first is denied, the second runs
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Run everything in an empty home and draw what it printed."""
    with tempfile.TemporaryDirectory(prefix="il-", ignore_cleanup_errors=True) as folder:
        home = GuardedHome(Path(folder) / "home", COLUMNS=str(WIDTH))
        try:
            (home.project / "node_modules" / "left-pad").mkdir(parents=True)
            (home.project / "package.json").write_text('{"dependencies": {"left-pad": "1.3.0"}}', "utf-8")
            (home.project / "package-lock.json").write_text("{}", "utf-8")
            printed = home.printed.replace(str(home.folder), "~").partition("\n\nNext:")[0]
            answers = [home.ask_command(call) for call in CALLS]
        finally:
            home.close()
    PICTURE.write_text(_draw(printed, answers), encoding="utf-8")
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)}\n")


def _draw(printed: str, answers: list[str]) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text.assemble(("$ ", "bold green"), ("interlock setup --yes", "bold")))
    console.print(Text(printed))
    console.print(Text("\n# a session in Claude Code", "dim"))
    for command, reason in zip(CALLS, answers, strict=True):
        console.print(Text.assemble(("● ", "bold green"), ("Bash", "bold"), f"({command})"))
        told = Text(reason, "red") if reason else Text("allowed", "green")
        console.print(Padding(told, (0, 2, 0, 4)))
    picture = console.export_svg(title="interlock", theme=MONOKAI, code_format=FRAME, unique_id="terminal")
    return re.sub(r"[ \t]+$", "", picture, flags=re.MULTILINE)


if __name__ == "__main__":
    main()
