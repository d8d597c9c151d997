"""`interlock hooks`: the pipeline, the kinds of hooks, and ways to try them."""

from __future__ import annotations

import textwrap
from typing import Annotated, Final, Literal

import msgspec
import typer

from interlock.cli.help import group
from interlock.cli.output import Json, print_json, printable, rule_name, screen_width, table
from interlock.cli.policy.explain import explain
from interlock.cli.policy.new_hook import new_hook
from interlock.cli.policy.simulate import simulate
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, folder, load
from interlock.cli.words import tool_call, tool_word
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_matcher
from interlock.policy.compile.hook_catalog import Kind, kinds, options_of, places_of_kind
from interlock.policy.files.words import hint
from interlock.policy.policy import pipeline_rows

_LEAST: Final = 24  # characters in a line of a sentence; fewer are hard to read
_SHOWN: Final = ("order", "layer", "events", "hook", "type", "matcher", "flags", "source")
_CUT: Final = {2: 6, 3: 10, 4: 6, 5: 6}

hooks = group("Try patterns and policies, and see the pipeline.")


@hooks.command("test-pattern", epilog="Example: interlock hooks test-pattern 'Bash(git *)' Bash 'git status'")
def try_pattern(
    pattern: Annotated[
        str, typer.Argument(help="`Tool`, `Tool(glob)`, or several joined by `|`.", show_default=False)
    ],
    tool: Annotated[str, typer.Argument(help="The tool to call.", show_default=False, callback=tool_word)],
    args: Annotated[
        str, typer.Argument(help="Its main argument: the command, path or address.", show_default=False)
    ],
    side: Annotated[
        Literal["deny", "allow"],
        typer.Option("--as", help="deny: any part of a command matches. allow: every part must."),
    ] = "deny",
    as_json: Json = False,
) -> int:
    """Say whether a pattern matches a call.

    It prints `match` (exit 0) or `no match` (exit 1); a bad pattern is exit 2.
    """
    matcher = parse_matcher(pattern)
    event = Event(name=EventName.PRE_TOOL_USE, cwd=str(folder()), tool=tool_call(tool, args))
    view = LocalCallView(event, PatternIndex(matcher.patterns, STANDARD_TOOLS))
    matches = matcher.fires(view, every_part=side == "allow")
    word = "match" if matches else "no match"
    if as_json:
        result = {"result": word, "pattern": pattern, "tool": tool, "as": side, "unread": view.unread}
        print_json(result)
    else:
        typer.echo(word)
        if not matches and view.unread and side == "allow":
            note = f"note: an allow pattern never matches a command that Interlock cannot read: {view.unread}"
            typer.echo(printable(note), err=True)
    return 0 if matches else 1


hooks.command(
    "simulate",
    epilog="Example: interlock hooks simulate --tool Bash --args 'git push --force' --actor agent:executor",
)(simulate)
hooks.command("explain", epilog="Example: interlock hooks explain 'cd /srv && sudo rm -rf $x'")(explain)


@hooks.command("list", epilog="Example: interlock hooks list --config .interlock/genesis.key")
def list_hooks(
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the pipeline as JSON.")] = False,
) -> int:
    """List the hooks in the order they run.

    Each comes with its layer, file and line.
    """
    policy = load(config or [], isolated=isolated, notes=True)
    rows = [msgspec.to_builtins(row) for row in pipeline_rows(policy.hooks)]
    if as_json:
        print_json({"revision": policy.revision, "hooks": rows})
    elif rows:
        for row in rows:
            row["hook"] = rule_name(row["hook"])
            if screen_width() is not None:  # there is no room for the folder, which most of them share
                row["source"] = row["source"].rpartition("/")[2]
            row["events"], row["flags"] = (",".join(row[name]) or "-" for name in ("events", "flags"))
        cells = [[str(row[name]) for name in _SHOWN] for row in rows]
        typer.echo("\n".join(table(_SHOWN, cells, cut=_CUT)))
    else:
        typer.echo("No hooks. `interlock setup` writes a starter policy.")
    return 0


@hooks.command(epilog="Example: interlock hooks catalog redirect")
def catalog(
    name: Annotated[str | None, typer.Argument(help="One kind, with its options.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the kinds as JSON.")] = False,
) -> int:
    """List the kinds of hooks, or the options of one.

    It includes the kinds that plugins add.
    """
    found = kinds()
    if name is not None:
        return _one(name, found, as_json=as_json)
    if as_json:
        print_json({"hooks": found})
        return 0
    rows = [[kind.type, kind.origin, kind.problem or kind.about] for kind in found]
    typer.echo("\n".join(table(("type", "from", "about"), rows, wrap=2)))
    return 0


def _one(name: str, found: list[Kind], *, as_json: bool) -> int:
    kind = next((one for one in found if one.type == name), None)
    if kind is None:
        raise InterlockError(f"there is no hook `{name}`; {hint(name, [one.type for one in found])}")
    if kind.problem:
        raise InterlockError(kind.problem)
    places, options = places_of_kind(name), options_of(name) or []
    if as_json:
        print_json({"type": name, "about": kind.about, "from": kind.origin, "at": places, "options": options})
        return 0
    typer.echo(printable(f"{name}: {kind.about}"))
    typer.echo(f"runs at: {', '.join(places) or 'any moment'}")
    rows = [
        [
            row.name,
            row.type.replace("`", ""),
            row.default or ("must be given" if row.required else "-"),
            row.about,
        ]
        for row in options
    ]
    if rows:
        typer.echo("")
        typer.echo("\n".join(_options(rows, screen_width())))
    else:
        typer.echo("It has no options.")
    return 0


def _options(rows: list[list[str]], width: int | None) -> list[str]:
    """A table, but on a screen a paragraph for each option, since some defaults are long."""
    if width is None:
        return table(("option", "type", "default", "about"), rows)
    lines = []
    for name, kind, default, about in rows:
        texts = (about, kind, default if default == "must be given" else f"default: {default}")
        below = [textwrap.wrap(printable(text), max(width - 4, _LEAST)) or [""] for text in texts]
        lines += [printable(name), *(f"    {line}" for text in below for line in text)]
    return lines


hooks.command("new", epilog="Example: interlock hooks new acme.deploy_hint --dir deploy-hint")(new_hook)
