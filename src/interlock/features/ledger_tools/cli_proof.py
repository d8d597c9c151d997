"""`interlock ledger verify`, `checkpoint` and `export`: proving what was recorded, here and elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.ledger import (
    ActorOption,
    DecisionOption,
    JsonResult,
    SessionOption,
    ToolOption,
    connected,
    progress,
    target,
)
from interlock.cli.output import print_json, printable
from interlock.cli.policy_source import here
from interlock.cli.words import SinceOption, UntilOption, parse_times
from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
from interlock.ledger.ends import Checkpoint, public_key, read_checkpoint
from interlock.ledger.export import ALL, Form, Selection, verify_file
from interlock.ledger.export import export as chunks_of
from interlock.ledger.verify import Verdict, verify
from interlock.store.files import back_up, temporary_file

proof = typer.Typer()
_LONGEST_KEY = 4_096


@proof.command(
    "verify", epilog="Example: interlock ledger verify --checkpoint /mnt/usb/monday.json --key monday.pub"
)
def verify_chain(
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", help="A checkpoint kept elsewhere; may be repeated."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="PUBLIC|FILE", help="The public key that must have signed everything."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Check an exported file instead of the ledger.")
    ] = None,
    as_json: JsonResult = False,
) -> int:
    """Check every entry and signature.

    It prints `verified: N entries`, or `broken at SEQ: what` with exit 1.
    """
    keys = [_key(text) for text in key or ()]
    checkpoints = {str(path): read_checkpoint(path) for path in checkpoint or _beside(export)}
    if export:
        found, selection = verify_file(export, progress("verified"), tuple(checkpoints.values()), keys)
    else:
        with connected() as connection:
            signed = tuple(checkpoints.values())
            found, selection = verify(connection, progress("verified"), checkpoints=signed, keys=keys), False
    verdict = Verdict(found=found, checkpoints=checkpoints, keys=keys, selection=selection)
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
        Path | None,
        typer.Option(help="The file to write, best on another machine; default: standard output."),
    ] = None,
    as_json: JsonResult = False,
) -> int:
    """Sign the current end of the ledger.

    You can check the ledger against the signature later. The signing is recorded, too.
    """
    if out is not None:
        target(out)
    made = ask_daemon("ledger.checkpoint")
    if out is None or as_json:
        print_json(made)
    if out is not None:
        write_whole(out, json.dumps(made, sort_keys=True).encode() + b"\n", mode=0o644)
    if out is not None and not as_json:
        typer.echo(printable(f"wrote {out}: entry {made['seq']}, hash {made['hash']}"))
        typer.echo(f"signed with the key {made['key']}; keep both away from the ledger", err=True)
    return 0


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


_PRIVATE: Final = 0o600  # commands hold what people typed
_CHUNK: Final = 1 << 20


class Format(StrEnum):
    """What an export is written as."""

    JSONL = "jsonl"
    CSV = "csv"
    SQLITE = "sqlite"


@proof.command(epilog="Example: interlock ledger export --format jsonl --out ledger.jsonl --proof")
def export(
    form: Annotated[
        Format,
        typer.Option(
            "--format", help="jsonl: one entry a line; csv: a table; sqlite: a copy of the whole database."
        ),
    ] = Format.JSONL,
    session: SessionOption = None,
    actor: ActorOption = None,
    tool: ToolOption = None,
    decision: DecisionOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: standard output.")] = None,
    proof: Annotated[
        bool, typer.Option("--proof", help="Sign its end, in a file beside it: OUT.checkpoint.")
    ] = False,
) -> int:
    """Write the ledger to a file, whole or in part.

    `interlock ledger verify --export FILE` checks it.
    """
    first, last = parse_times(since, until)
    wanted = Selection(session=session, actor=actor, tool=tool, decision=decision, since=first, until=last)
    _refuse_senseless(form, wanted, out, proof=proof)
    checkpoint = msgspec.convert(ask_daemon("ledger.checkpoint"), Checkpoint) if proof else None
    if out is None:
        with connected() as connection:
            _print(chunks_of(connection, Form(form), wanted))
    elif form is Format.SQLITE:
        _copy_database(target(out))
    else:
        with connected() as connection:
            upto = {"upto": checkpoint.seq} if checkpoint else {}
            chunks = chunks_of(connection, Form(form), wanted, progress=progress("exported"), **upto)
            write_whole(target(out), chunks, mode=_PRIVATE)
    if out is not None and checkpoint is not None:
        text = json.dumps(checkpoint.document, sort_keys=True).encode() + b"\n"
        write_whole(out.with_name(f"{out.name}.checkpoint"), text, mode=_PRIVATE)
    if out is not None:
        typer.echo(printable(f"wrote {out}{f' and {out}.checkpoint' if proof else ''}"))
    return 0


def _refuse_senseless(form: Format, wanted: Selection, out: Path | None, *, proof: bool) -> None:
    if out is None and (form is Format.SQLITE or proof):
        what = "a database" if form is Format.SQLITE else "a proof"
        raise InterlockError(f"{what} needs a file; name it with --out")
    if wanted == ALL:
        return
    if form is Format.SQLITE:
        raise InterlockError("a database is copied whole; use --format jsonl or csv to choose entries")
    if proof:
        raise InterlockError("a selection only proves its own lines; leave out --proof or the filters")


def _copy_database(out: Path) -> None:
    """Copy into our own folder first: the engine opens files by name, and others may own the target's."""
    with temporary_file(here().database) as private:
        back_up(here().database, private)
        write_whole(out, _pieces(private), mode=_PRIVATE)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece


def _print(chunks: Iterable[bytes]) -> None:
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
