"""`interlock import`: the rules an agent or another guard has already, as a policy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.output import print_json, printable
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import folder, here, load
from interlock.cli.setup import import_nah, import_safety_net
from interlock.cli.setup.install import ScopeOption, settings_here, write_plan
from interlock.errors import InterlockError
from interlock.events.hook import Layer
from interlock.files.own_files import write_whole
from interlock.hosts.claude_code.import_hooks import doubled_hooks, import_hooks, project_of, without_doubled
from interlock.hosts.claude_code.import_permissions import import_permissions
from interlock.hosts.claude_code.install import Plan
from interlock.hosts.claude_code.settings import Scope, Settings, read_settings
from interlock.policy.files.read import FileKind
from interlock.policy.imported import ImportResult, add_rules, merge, policy_text


class ImportSource(StrEnum):
    """Whose rules can be imported."""

    CLAUDE_CODE = "claude-code"
    CC_SAFETY_NET = "cc-safety-net"
    NAH = "nah"


def import_(
    source: Annotated[
        ImportSource,
        typer.Argument(
            help="Whose rules to import: `claude-code`, `cc-safety-net` or `nah`.",
            show_default=False,
            metavar="SOURCE",
        ),
    ],
    scope: ScopeOption = Scope.USER,
    file: Annotated[
        Path | None,
        typer.Option("--from", help="Read this file, not the one in its usual place.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the policy here instead of printing it.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    add: Annotated[
        bool, typer.Option("--add", help="Add the rules to your policy, or to the project's.")
    ] = False,
    remove_old: Annotated[
        bool,
        typer.Option("--remove-old", help="Remove from the settings the hooks that your policy now runs."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print only the report, and write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Turn the rules of Claude Code, cc-safety-net or nah into a policy, and report what was left out."""
    if remove_old:
        _check_removing(source, importing=add or out is not None)
        return _remove_old(file, scope, dry_run=dry_run, as_json=as_json)
    files, imported = _imported(source, scope, file)
    named = ", ".join(map(str, files))
    text = policy_text(imported, named)
    if add:
        if out is not None:
            raise InterlockError("--add and --out both say where the rules go; keep one of them")
        layer, out = _own_policy(scope)
        if not dry_run:
            require_person("import --add")
            add_rules(out, imported, named, layer)
    elif out is not None and not dry_run:
        require_person("import --out")
        if out.exists() and not force:
            raise InterlockError(f"`{out}` already exists; name another file, or replace it with --force")
        write_whole(out, text.encode(), mode=0o600, follow=True)
    if as_json:
        print_json(
            {
                "source": str(source),
                "files": list(map(str, files)),
                "imported": imported.count,
                "carried": imported.carried,
                "left": imported.left,
                "out": str(out) if out else None,
                "dry_run": dry_run,
                "policy": text,
            }
        )
        return 0
    if out is None and not dry_run:
        typer.echo(text, nl=False)
    _report(source, files, imported, out, scope, dry_run=dry_run)
    return 0


def _check_removing(source: ImportSource, *, importing: bool) -> None:
    if source is not ImportSource.CLAUDE_CODE:
        raise InterlockError(
            "--remove-old is about hooks in Claude Code's settings; use it with `claude-code`"
        )
    if importing:
        raise InterlockError("--remove-old is a second step: import the rules first, then run it by itself")


def _imported(source: ImportSource, scope: Scope, file: Path | None) -> tuple[list[Path], ImportResult]:
    if source is ImportSource.CLAUDE_CODE:
        settings = _settings(file, scope)
        project = project_of(scope, settings_here().project)
        parts = [import_permissions(settings.document), import_hooks(settings.document, project)]
        return [settings.path], merge(parts)
    if scope not in {Scope.USER, Scope.PROJECT}:
        raise InterlockError(f"{source} has no {scope} rules; use --scope user or --scope project")
    guard = import_nah if source is ImportSource.NAH else import_safety_net
    usual = guard.find_files(user=scope is Scope.USER, home=Path.home(), project=folder())
    files = [file] if file is not None else usual
    if not files:
        other = Scope.PROJECT if scope is Scope.USER else Scope.USER
        raise InterlockError(f"there are no {scope} rules of {source}; try --scope {other}, or --from FILE")
    return files, merge([guard.import_file(one) for one in files])


def _own_policy(scope: Scope) -> tuple[Layer, Path]:
    """The policy of whoever the imported rules were for."""
    if scope not in {Scope.USER, Scope.PROJECT}:
        raise InterlockError(f"--add has no place for {scope} rules; use --out and copy them by hand")
    layer = Layer.USER if scope is Scope.USER else Layer.PROJECT
    return layer, dict(here().layers)[layer] / FileKind.GENESIS.value


def _settings(file: Path | None, scope: Scope) -> Settings:
    settings = read_settings(file or settings_here().file(scope))
    if settings.text is None:
        raise InterlockError(f"there is no `{settings.path}`; choose another --scope")
    return settings


def _remove_old(file: Path | None, scope: Scope, *, dry_run: bool, as_json: bool) -> int:
    """Take out of the settings what the policy in force runs too, and keep a backup."""
    if not dry_run:
        require_person("import --remove-old")
    settings, project, hooks = _settings(file, scope), settings_here().project, load([]).hooks
    removed = doubled_hooks(settings, scope, project, hooks)
    plan = Plan(before=settings, after=without_doubled(settings, scope, project, hooks))
    backup = None if dry_run else write_plan(plan, [])
    if as_json:
        print_json(
            {"settings": str(settings.path), "removed": removed, "backup": str(backup) if backup else None}
        )
    elif removed:
        count = f"{len(removed)} {'hook' if len(removed) == 1 else 'hooks'}"
        kept = "" if backup is None else f"; the old file is {backup}"
        deed = "would remove" if dry_run else "removed"
        typer.echo(printable(f"{deed} {count} from {settings.path}{kept}"))
    else:
        typer.echo(printable(f"nothing to remove: your policy runs none of the hooks in {settings.path}"))
    return 0


def _report(
    source: ImportSource,
    files: list[Path],
    imported: ImportResult,
    out: Path | None,
    scope: Scope,
    *,
    dry_run: bool,
) -> None:
    """On stderr, so that a printed policy can be piped into a file."""
    for line in imported.carried:
        typer.echo(printable(f"carried over: {line}"), err=True)
    for left in imported.left:
        word = "changed" if left.carried else "left out"
        typer.echo(printable(f"{word}: {left.path}: {left.message}"), err=True)
    count = f"{imported.count} {'rule' if imported.count == 1 else 'rules'}"
    where = f" into {out}" if out and not dry_run else ""
    deed = "would import" if dry_run else "imported"
    typer.echo(printable(f"{deed} {count} from {', '.join(map(str, files))}{where}"), err=True)
    if source is ImportSource.CLAUDE_CODE and not dry_run and _has_hooks(imported):
        command = f"interlock import claude-code --scope {scope} --remove-old"
        typer.echo(
            f"next: once these rules are in your policy, run `{command}`; until then the hooks run twice",
            err=True,
        )


def _has_hooks(imported: ImportResult) -> bool:
    return any(entry["type"] not in {"deny", "ask"} for one in imported.hooks.values() for entry in one)
