#!/usr/bin/env python3
"""Write the options of every built-in hook into docs/hooks.md. Run by `python -m scripts.hook_docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from interlock.events.names import snake_case
from interlock.policy.compile.hook_catalog import OptionRow, option_rows
from interlock.policy.hook_kinds import basic_kinds, ours, own_kinds

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "hooks.md"
BLOCK = re.compile(r"(<!-- options: (?P<kind>[^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(kind: str) -> str:
    """Where a hook may stand, and what may be written under `config`."""
    builtin = ours(kind)
    places = ", ".join(f"`{snake_case(event)}`" for event in builtin.events)
    head = f"Stands at {places or 'any moment'}.\n"
    rows = [_row(row) for row in option_rows(builtin.options)]
    if not rows:
        return f"{head}It has no options.\n"
    return "\n".join([head, "| option | type | unless said | |", "|---|---|---|---|", *rows, ""])


def _row(row: OptionRow) -> str:
    default = "must be given" if row.required else f"`{row.default}`" if row.default else ""
    cells = (f"`{row.name}`", row.type, default, row.about)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def filled(page: str) -> str:
    """The page with every marked block holding the options of its hook."""
    return BLOCK.sub(lambda match: f"{match[1]}{table(match['kind'])}{match[3]}", page)


def main() -> None:
    """Fill the page and say which hooks it does not show."""
    page = filled(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
    shown = {match["kind"] for match in BLOCK.finditer(page)}
    for missing in own_kinds().keys() - shown - set(basic_kinds()):
        sys.stderr.write(f"`{missing}` is not on the page; add a section with its block of options\n")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}: {len(shown)} hooks\n")


if __name__ == "__main__":
    main()
