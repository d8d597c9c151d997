"""`interlock init`: a commented policy to start from."""

from __future__ import annotations

import os
import shlex
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.output import columns, print_json, printable
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.files.own_files import bundled_file, mode_of, write_whole


def init(
    file: Annotated[
        Path | None, typer.Argument(help="Where to write it; default: the user's genesis.key.")
    ] = None,
    project: Annotated[
        bool, typer.Option("--project", help="Write it to .interlock/ in this folder.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing policy; the old one is kept as .bak.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Write a starter policy.

    It turns on the baseline rules and explains the rest in comments.
    """
    if file is not None and project:
        raise InterlockError("a file and --project both name the place; keep one of them")
    locations = here()
    folder = locations.project_config if project else locations.user_config
    target = file or folder / "genesis.key"
    if force or (file is None and not project):
        require_person("init")
    starter = starter_policy()
    try:
        backup = _backup(target, force=force)
        write_whole(target, starter, mode=mode_of(target, 0o644 if project or file else 0o600))
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        raise InterlockError(f"cannot write `{target}`: {reason}; name another file") from error
    if as_json:
        print_json({"written": str(target), "backup": str(backup) if backup else None})
        return 0
    typer.echo(printable(f"wrote {target}" + (f" (the old one is {backup})" if backup else "")))
    named = f" --config {shlex.quote(str(target))}" if file is not None or project else ""
    typer.echo(printable(f"try: interlock explain 'rm -rf ~'{named}"))
    return 0


def starter_policy() -> bytes:
    """The file that `init` and `setup` write."""
    return bundled_file("cli/setup/starter.key").read_bytes()


def _backup(target: Path, *, force: bool) -> Path | None:
    """Copy a policy that is there; it stays in force until the new one takes its place."""
    if target.is_dir():
        raise InterlockError(f"`{target}` is a folder; name a file in it")
    if not target.exists():
        return None
    if not force:
        raise InterlockError(f"`{target}` already exists; edit it, or replace it with --force")
    backup = _unused(target)
    write_whole(backup, target.read_bytes(), mode=mode_of(target, 0o600))
    return backup


def _unused(target: Path) -> Path:
    """The first backup name that is free: an older backup may be the only copy of a policy."""
    names = (target.with_name(f"{target.name}.bak{number or ''}") for number in count())
    return next(name for name in names if not os.path.lexists(name))


_NAMES = ("user_config", "project_config", "state", "database", "socket", "log")


def paths(as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> int:
    """See where Interlock keeps its files."""
    found = here()
    rows = {name: str(getattr(found, name)) for name in (*_NAMES, "managed_config")}
    if as_json:
        print_json(rows)
    else:
        typer.echo("\n".join(columns(list(rows.items()))))
    return 0
