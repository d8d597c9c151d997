#!/usr/bin/env python3
"""Write the tables of docs/policy.md and docs/hooks.md from the records that validate a policy.

Run by `python -m scripts.reference_docs`. A table stands between `<!-- options: KIND -->` (a type of hook) or
`<!-- keys: NAME -->` (a part of the file) and `<!-- end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Meta

from interlock.events.names import snake_case
from interlock.features.approvals.settings import NotifySettings
from interlock.features.work.settings import WorkNotifySettings
from interlock.policy.compile.hook_catalog import OptionRow, option_rows
from interlock.policy.extensions import settings_parts
from interlock.policy.format.entry import Entry, HookEntry, TomlHook
from interlock.policy.hook_kinds import ours, own_kinds

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs" / name for name in ("policy.md", "hooks.md")]
BLOCK = re.compile(r"(<!-- (?P<what>options|keys): (?P<name>[^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def records() -> dict[str, type[msgspec.Struct]]:
    """The parts of a policy file that have keys of their own, by the name a page gives them."""
    found: dict[str, type[msgspec.Struct]] = {
        "entry": HookEntry,
        "hooks.toml": TomlHook,
        "approval.notify": NotifySettings,
        "work.notify": WorkNotifySettings,
    }
    for part in settings_parts():
        record = next(_structs(part.shape or type(part.default)), None)
        if record is not None:
            found[part.key] = record
    return found


def _structs(annotation: Any) -> Iterator[type[msgspec.Struct]]:
    """The record that an annotation is, or is a list or mapping of."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        yield annotation
    elif get_origin(annotation) is not None:
        for inner in get_args(annotation):
            yield from _structs(inner)


def hook_table(kind: str) -> str:
    """What a type of hook is for, where it runs, and what may be written under `config`."""
    builtin = ours(kind)
    places = ", ".join(f"`{snake_case(event)}`" for event in builtin.events)
    head = f"**{builtin.about}** Runs at {places or 'any event'}.\n\n"
    rows = option_rows(builtin.options)
    return head + (_table("option", rows) if rows else "It has no options.\n")


def settings_table() -> str:
    """Every key below `settings`."""
    rows = [
        f"| `{part.key}` | {_about(part.shape or type(part.default))} |"
        for part in settings_parts()
        if not part.section
    ]
    return "\n".join(["| key | what it says |", "|---|---|", *rows]) + "\n"


def key_rows(name: str, record: type[msgspec.Struct]) -> list[OptionRow]:
    """The keys of a part of the file; what any entry may say is shown once."""
    shared = {row.name for row in option_rows(Entry)} if name == "hooks.toml" else set()
    return [row for row in option_rows(record) if row.name not in shared]


def _about(annotation: Any) -> str:
    """The description of an annotation, or the first line of its record."""
    if get_origin(annotation) is not None:
        notes = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
        told = [note.description for note in notes if isinstance(note, Meta) and note.description]
        return told[0] if told else next(filter(None, map(_about, get_args(annotation))), "")
    is_record = isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)
    return (annotation.__doc__ or "").partition("\n")[0] if is_record else ""


def _table(first: str, rows: list[OptionRow]) -> str:
    lines = [f"| {first} | type | default | meaning |", "|---|---|---|---|"]
    for row in rows:
        plain = row.default and not row.type.startswith("mapping of ")
        default = "required" if row.required else f"`{row.default}`" if plain else ""
        cells = (f"`{row.name}`", row.type, default, row.about)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def filled(page: str) -> str:
    """The page with every marked block holding its table."""
    known = records()

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if match["what"] == "options":
            table = hook_table(name)
        else:
            table = settings_table() if name == "settings" else _table("key", key_rows(name, known[name]))
        return f"{match[1]}{table}{match[4]}"

    return BLOCK.sub(block, page)


def missing(pages: str) -> list[str]:
    """The tables that no page shows."""
    shown = {(match["what"], match["name"]) for match in BLOCK.finditer(pages)}
    wanted = {("options", kind) for kind in own_kinds()} | {
        ("keys", name) for name in (*records(), "settings")
    }
    return sorted(f"<!-- {what}: {name} -->" for what, name in wanted - shown - {("keys", "fleet_ledger")})


def main() -> None:
    """Fill the pages and say which tables they lack."""
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8")), encoding="utf-8")
    for block in missing("".join(page.read_text("utf-8") for page in PAGES)):
        sys.stderr.write(f"no page has `{block}`\n")


if __name__ == "__main__":
    main()
