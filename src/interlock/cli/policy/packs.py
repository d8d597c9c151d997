"""`interlock packs`: the policies shipped with Interlock."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from interlock.cli.help import group
from interlock.cli.output import print_json, printable, table
from interlock.errors import InterlockError
from interlock.policy.files.words import hint
from interlock.policy.format.kind_entry import KindEntry
from interlock.policy.packs import Pack, examples_of, find_pack, pack_names, pack_problems

packs = group("See the policies shipped with Interlock.")


@packs.command("list", epilog="Example: interlock packs list --json")
def list_packs(
    as_json: Annotated[bool, typer.Option("--json", help="Print the packs as JSON.")] = False,
) -> int:
    """List the packs that `settings.packs` may name."""
    rows = [{"pack": pack.name, "rules": len(pack.rules), "about": pack.about} for pack in _all()]
    if as_json:
        print_json({"packs": rows})
        return 0
    cells = [[str(value) for value in row.values()] for row in rows]
    typer.echo("\n".join(table(("pack", "rules", "about"), cells, wrap=2)))
    return 0


@packs.command("show", epilog="Example: interlock packs show baseline --check")
def show(
    name: Annotated[str, typer.Argument(help="The pack.", show_default=False)],
    rule: Annotated[str | None, typer.Argument(help="Print one of its rules, as written.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Also run the examples of its rules.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rules as JSON.")] = False,
) -> int:
    """Print the rules of a pack: what each says, and why."""
    pack = _find_pack(name)
    if rule is not None and rule not in pack.rules:
        raise InterlockError(f"the pack `{name}` has no rule `{rule}`; {hint(rule, pack.rules)}")
    problems = pack_problems(pack, os.environ) if check else ()
    shown = [_row(one, entry) for one, entry in pack.rules.items() if rule in {None, one}]
    if as_json:
        checked = {"errors": [str(problem) for problem in problems]} if check else {}
        print_json({"pack": name, "about": pack.about, "rules": shown, **checked})
    elif rule is not None:
        typer.echo(printable_lines(pack.written(rule)))
    else:
        cells = [[row["rule"], row["says"], row["reason"] or "-"] for row in shown]
        typer.echo("\n".join(table(("rule", "says", "reason"), cells, wrap=2)))
    return _checked(pack, problems, as_json=as_json) if check else 0


def printable_lines(text: str) -> str:
    """Text of several lines, each safe to show."""
    return "\n".join(map(printable, text.splitlines()))


def _checked(pack: Pack, problems: tuple[str, ...], *, as_json: bool) -> int:
    if as_json:
        return 1 if problems else 0
    for problem in problems:
        typer.echo(printable(problem), err=True)
    if not problems:
        typer.echo(f"checked: {examples_of(pack)} examples pass")
    return 1 if problems else 0


def _all() -> list[Pack]:
    return [find_pack(name) for name in pack_names()]


def _find_pack(name: str) -> Pack:
    if name not in pack_names():
        raise InterlockError(f"there is no pack `{name}`; {hint(name, pack_names())}")
    return find_pack(name)


def _row(name: str, entry: KindEntry) -> dict[str, Any]:
    kind = entry.builtin.kind
    config = entry.config if kind in {"deny", "ask"} else None
    says = kind if entry.enabled else "off"
    return {
        "rule": name,
        "says": "shadow" if entry.enabled and entry.mode == "shadow" else says,
        "type": kind,
        "matcher": entry.matcher,
        "reason": (config.reason or None) if config else None,
        "suggestion": (config.suggestion or None) if config else None,
    }
