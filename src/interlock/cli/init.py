"""`interlock init`: a commented policy to start from."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from interlock.cli.loading import here
from interlock.errors import InterlockError


def init(
    file: Annotated[
        Path | None, typer.Argument(help="Where to write it; the user's genesis.key by default.")
    ] = None,
    project: Annotated[
        bool, typer.Option("--project", help="Write it to .interlock/ of this folder.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a policy that is there; the old one is kept as .bak.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Write a commented starter policy that denies the worst and explains the rest."""
    if file is not None and project:
        raise InterlockError("a file and --project both say where to write; keep one of them")
    locations = here()
    folder = locations.project_config if project else locations.user_config
    target = file or folder / "genesis.key"
    backup = _make_room(target, force=force)
    _write(target, files("interlock.cli").joinpath("starter.key").read_bytes())
    if as_json:
        typer.echo(
            msgspec.json.encode({"written": str(target), "backup": str(backup) if backup else None}).decode()
        )
        return 0
    typer.echo(f"wrote {target}" + (f" (the old one is {backup})" if backup else ""))
    named = f" --config {target}" if file is not None or project else ""
    typer.echo(f"try: interlock hooks simulate --tool Bash --args 'rm -rf build'{named}")
    return 0


def _make_room(target: Path, *, force: bool) -> Path | None:
    if not target.exists():
        return None
    if not force:
        raise InterlockError(f"`{target}` is there already; edit it, or replace it with --force")
    backup = target.with_name(target.name + ".bak")
    target.replace(backup)
    return backup


def _write(target: Path, text: bytes) -> None:
    """Write beside and rename, so that an interrupt never leaves half a policy."""
    half = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        half.write_bytes(text)
        half.replace(target)
    except OSError as error:
        raise InterlockError(f"cannot write `{target}`: {error.strerror}; name another file") from error
