"""`interlock import`: the hooks an agent has already, as a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import load
from interlock.cli.setup.install import Agent, AgentArgument, ScopeOption, settings_here, write_plan
from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
from interlock.hosts.claude_code.import_hooks import (
    ImportResult,
    doubled_hooks,
    import_hooks,
    policy_text,
    project_of,
    without_doubled,
)
from interlock.hosts.claude_code.install import Plan
from interlock.hosts.claude_code.settings import Scope, Settings, read_settings


def import_(
    agent: AgentArgument,
    scope: ScopeOption = Scope.USER,
    out: Annotated[
        Path | None, typer.Option(help="Write the policy here instead of printing it.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    remove_old: Annotated[
        bool,
        typer.Option("--remove-old", help="Take the hooks that your policy runs now out of the settings."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Turn the hooks in an agent's settings, without ours, into a policy; the settings stay as they are."""
    places = settings_here()
    settings = read_settings(places.file(scope))
    if settings.text is None:
        raise InterlockError(f"there is no `{settings.path}`; choose another --scope")
    if remove_old:
        return _remove_old(settings, scope, places.project, as_json=as_json)
    imported = import_hooks(settings.document, project_of(scope, places.project))
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


def _remove_old(settings: Settings, scope: Scope, project: Path, *, as_json: bool) -> int:
    """Take out of the settings what the policy in force runs too, and keep a backup."""
    require_person("import --remove-old")
    hooks = load([]).hooks
    removed = doubled_hooks(settings, scope, project, hooks)
    plan = Plan(before=settings, after=without_doubled(settings, scope, project, hooks))
    backup = write_plan(plan, [])
    if as_json:
        print_json(
            {"settings": str(settings.path), "removed": removed, "backup": str(backup) if backup else None}
        )
    elif removed:
        count = f"{len(removed)} {'hook' if len(removed) == 1 else 'hooks'}"
        typer.echo(printable(f"removed {count} from {settings.path}; the old file is {backup}"))
    else:
        typer.echo(printable(f"nothing to remove: your policy runs none of the hooks in {settings.path}"))
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
        typer.echo(
            "next: once your policy has them, run the same command with --remove-old, or they run twice",
            err=True,
        )
