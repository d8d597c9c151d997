"""`interlock ledger`: seeing what was recorded, and checking that it still is what was recorded."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.document import print_json
from interlock.cli.ledger_text import as_document, details, line, table
from interlock.cli.loading import here
from interlock.cli.person import require_person
from interlock.cli.terminal import printable
from interlock.errors import InterlockError
from interlock.ledger.export import jsonl
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.verify import verify
from interlock.safe_write import write_whole
from interlock.store.backup import back_up
from interlock.store.database import open_to_read

ledger = typer.Typer(help="See and verify what was recorded.", no_args_is_help=True)

_POLL_SECONDS = 0.2
_END = (
    "The chain holds from the first entry to the last one here. Whether entries after it were removed, or "
    "the whole chain was written anew, cannot be known without a checkpoint kept elsewhere; keep this head."
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one entry a line.")]


@ledger.callback()
def for_people() -> None:
    """See and verify what was recorded."""
    require_person("ledger")


class Format(StrEnum):
    """What an export is written as."""

    JSONL = "jsonl"
    SQLITE = "sqlite"


@contextmanager
def _reader() -> Iterator[LedgerReader]:
    with closing(open_to_read(here().database)) as connection:
        yield LedgerReader(connection)


@ledger.command(epilog="Example: interlock ledger tail -n 20 --follow")
def tail(
    count: Annotated[int, typer.Option("-n", "--lines", min=0, help="How many entries.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is recorded next.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Print the last entries, oldest first."""
    with _reader() as reader:
        entries = reader.tail(count)
        seen = entries[-1].seq if entries else max((e.seq for e in reader.tail(1)), default=0)
        while True:
            for entry in entries:
                if as_json:
                    print_json(as_document(entry))
                else:
                    typer.echo(line(entry))
            if not follow:
                return 0
            sys.stdout.flush()
            entries = reader.after(seen)
            if entries:
                seen = entries[-1].seq
            else:
                time.sleep(_POLL_SECONDS)


@ledger.command("list", epilog="Example: interlock ledger list --decision deny --limit 10")
def list_entries(
    session: Annotated[str | None, typer.Option(help="Only of this session.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only by this actor.")] = None,
    tool: Annotated[str | None, typer.Option(help="Only about this tool.")] = None,
    decision: Annotated[str | None, typer.Option(help="Only with this decision: allow, ask or deny.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most.")] = 50,
    before: Annotated[int | None, typer.Option(help="Only those before this seq: the next page.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Print entries, newest first."""
    wanted = Filter(session=session, actor=actor, tool=tool, decision=decision)
    with _reader() as reader:
        entries = reader.page(wanted, limit=limit, before=before)
    if as_json:
        for entry in entries:
            print_json(as_document(entry))
        return 0
    typer.echo("\n".join(table(entries)) if entries else "no entries")
    if len(entries) == limit and entries[-1].seq > 1:
        typer.echo(f"older entries: --before {entries[-1].seq}", err=True)
    return 0


@ledger.command(epilog="Example: interlock ledger show 17")
def show(
    name: Annotated[str, typer.Argument(metavar="SEQ|ID", help="The entry's number or its id.")],
    as_json: JsonOption = False,
) -> int:
    """Print one entry whole."""
    with _reader() as reader:
        entry = reader.show(name)
    if as_json:
        print_json(as_document(entry))
    else:
        typer.echo("\n".join(details(entry)))
    return 0


@ledger.command("verify", epilog="Example: interlock ledger verify --json")
def verify_chain(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Check every entry: `verified: N entries`, or `broken at SEQ: what` and exit 1."""
    with closing(open_to_read(here().database)) as connection:
        found = verify(connection, _progress("verified"))
    head = {"seq": found.head.seq, "hash": found.head.hash.hex()}
    if as_json:
        broken = {"seq": found.broken.seq, "what": found.broken.what} if found.broken else None
        document = {
            "verified": found.broken is None,
            "entries": found.entries,
            "head": head,
            "broken": broken,
        }
        # Said in every answer: no reading of this file alone can prove where the chain ends.
        print_json({**document, "end_known": False})
    elif found.broken:
        typer.echo(printable(f"broken at {found.broken.seq}: {found.broken.what}"))
    else:
        typer.echo(f"verified: {found.entries} entries")
        typer.echo(f"head: {head['seq']} {head['hash']}")
        typer.echo(_END, err=True)
    return 1 if found.broken else 0


@ledger.command(epilog="Example: interlock ledger export --format jsonl --out ledger.jsonl")
def export(
    form: Annotated[
        Format,
        typer.Option("--format", help="jsonl: one entry a line; sqlite: a copy of the whole database."),
    ] = Format.JSONL,
    out: Annotated[Path | None, typer.Option(help="The file to write; without it, the output.")] = None,
) -> int:
    """Write the ledger as it is now, whole, while others may go on recording."""
    database = here().database
    with closing(open_to_read(database)) as connection:
        if form is Format.SQLITE:
            if out is None:
                raise InterlockError("a database needs a file to go to; name it by --out")
            back_up(database, _target(out))
        elif out is None:
            _write(jsonl(connection), sys.stdout.buffer.write)
        else:
            _write_file(jsonl(connection, _progress("exported")), _target(out))
    return 0


def _target(out: Path) -> Path:
    if not out.parent.is_dir():
        raise InterlockError(f"there is no folder `{out.parent}`; make it or name another file by --out")
    return out


def _write_file(chunks: Iterable[bytes], out: Path) -> None:
    """The file appears when it is complete, readable by its owner only: commands hold what people typed."""
    write_whole(out, chunks, mode=0o600)


def _write(chunks: Iterable[bytes], write: Callable[[bytes], int]) -> None:
    for chunk in chunks:
        write(chunk)


def _progress(word: str) -> Callable[[int], None] | None:
    if not sys.stderr.isatty():
        return None
    shown = time.monotonic()

    def tell(count: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= _POLL_SECONDS:
            shown = now
            sys.stderr.write(f"\r{word}: {count}\r")

    return tell
