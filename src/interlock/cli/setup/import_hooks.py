"""`interlock import`: the hooks an agent has already, as a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.cli.setup.install import Agent, AgentArgument, ScopeOption, settings_here
from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
from interlock.hosts.claude_code.import_hooks import ImportResult, import_hooks, policy_text
from interlock.hosts.claude_code.settings import Scope, read_settings


def import_(
    agent: AgentArgument,
    scope: ScopeOption = Scope.USER,
    out: Annotated[
        Path | None, typer.Option(help="Write the policy here instead of printing it.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Turn the hooks in an agent's settings, without ours, into a policy; the settings stay as they are."""
    places = settings_here()
    settings = read_settings(places.file(scope))
    if settings.text is None:
        raise InterlockError(f"there is no `{settings.path}`; choose another --scope")
    project = places.project if scope in {Scope.PROJECT, Scope.LOCAL} else None
    imported = import_hooks(settings.document, project)
    text = policy_text(imported, str(settings.path))
    if out is not None:
        require_person("import --out")
        if out.exists() and not force:
            raise InterlockError(f"`{out}` is there already; name another file, or replace it with --force")
        write_whole(out, text.encode(), mode=0o600, follow=True)
    if as_json:
        print_json(_result(agent, settings.path, imported, out, text))
        return 0
    if out is None:
        typer.echo(text, nl=False)
    _tell(imported, out)
    return 0


def _result(
    agent: Agent, source: Path, imported: ImportResult, out: Path | None, text: str
) -> dict[str, object]:
    return {
        "agent": str(agent),
        "settings": str(source),
        "imported": imported.count,
        "left": imported.left,
        "out": str(out) if out else None,
        "policy": text,
    }


def _tell(imported: ImportResult, out: Path | None) -> None:
    """On stderr, so that a printed policy can be piped into a file."""
    for left in imported.left:
        word = "changed" if left.carried else "left out"
        typer.echo(printable(f"{word}: {left.path}: {left.message}"), err=True)
    where = f" into {out}" if out else ""
    typer.echo(printable(f"imported {imported.count} hooks{where}"), err=True)
    if imported.count:
        typer.echo("next: take them out of the agent's settings, or they run twice", err=True)
