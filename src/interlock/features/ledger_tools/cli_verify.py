"""`interlock ledger verify` and `checkpoint`: is the ledger still what was recorded?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.ledger import JsonResult, connected, progress, target
from interlock.cli.output import printable
from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
from interlock.ledger.ends import Checkpoint, read_checkpoint
from interlock.ledger.exported import verify_file
from interlock.ledger.report import Verdict
from interlock.ledger.signing import public_key
from interlock.ledger.verify import verify

proof = typer.Typer()
_LONGEST_KEY = 4_096


@proof.command(
    "verify", epilog="Example: interlock ledger verify --checkpoint /mnt/usb/monday.json --key monday.pub"
)
def verify_chain(
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", help="A checkpoint kept elsewhere; may be given several times."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="PUBLIC|FILE", help="The public key everything must be signed with."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Check an exported file instead of the ledger.")
    ] = None,
    as_json: JsonResult = False,
) -> int:
    """Check every entry and signature: `verified: N entries`, or `broken at SEQ: what` and exit 1."""
    keys = [_key(text) for text in key or ()]
    checkpoints = {str(path): read_checkpoint(path) for path in checkpoint or _beside(export)}
    verdict = _of_export(export, checkpoints, keys) if export else _of_ledger(checkpoints, keys)
    if as_json:
        print_json(verdict.document())
    else:
        typer.echo(printable("\n".join(verdict.lines())) if verdict.code else "\n".join(verdict.lines()))
        for line in verdict.unknown if not verdict.code else ():
            typer.echo(line, err=True)
    return verdict.code


@proof.command("checkpoint", epilog="Example: interlock ledger checkpoint --out /mnt/usb/monday.json")
def make(
    out: Annotated[
        Path | None, typer.Option(help="The file to write, best on another machine; without it, the output.")
    ] = None,
    as_json: JsonResult = False,
) -> int:
    """Sign where the ledger ends now, to compare it with later; the signing is recorded."""
    if out is not None:
        target(out)
    made = ask_daemon("ledger.checkpoint")
    if out is None or as_json:
        print_json(made)
    if out is not None:
        write_whole(out, json.dumps(made, sort_keys=True).encode() + b"\n", mode=0o644)
    if out is not None and not as_json:
        typer.echo(printable(f"wrote {out}: entry {made['seq']}, hash {made['hash']}"))
        typer.echo(f"signed with the key {made['key']}; keep both where the ledger is not", err=True)
    return 0


def _of_ledger(checkpoints: dict[str, Checkpoint], keys: list[str]) -> Verdict:
    with connected() as connection:
        found = verify(connection, progress("verified"), checkpoints=tuple(checkpoints.values()), keys=keys)
    return Verdict(found=found, checkpoints=checkpoints, keys=keys)


def _of_export(path: Path, checkpoints: dict[str, Checkpoint], keys: list[str]) -> Verdict:
    found, selection = verify_file(path, progress("verified"), tuple(checkpoints.values()), keys)
    return Verdict(found=found, checkpoints=checkpoints, keys=keys, selection=selection)


def _beside(export: Path | None) -> list[Path]:
    """The proof that an export with --proof left beside it."""
    if export is None:
        return []
    proof_file = export.with_name(f"{export.name}.checkpoint")
    return [proof_file] if proof_file.exists() else []


def _key(text: str) -> str:
    path = Path(text)
    try:
        if path.is_file():
            with path.open("rb") as file:
                text = file.read(_LONGEST_KEY).decode("utf-8", "replace")
    except OSError as error:
        raise InterlockError(f"cannot read the key `{path}`: {error.strerror}; name another file") from error
    return public_key(text)
