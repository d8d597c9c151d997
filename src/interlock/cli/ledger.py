"""Reading this home's ledger: what the commands that do so have in common."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.ledger.reader import LedgerReader
from interlock.store.database import open_to_read

POLL_SECONDS: Final = 0.2

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one entry a line.")]
JsonResult = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@contextmanager
def connected() -> Iterator[sqlite3.Connection]:
    """The database of this home, to read."""
    with closing(open_to_read(here().database)) as connection:
        yield connection


@contextmanager
def reading() -> Iterator[LedgerReader]:
    """The ledger of this home, to look entries up."""
    with connected() as connection:
        yield LedgerReader(connection)


def target(out: Path) -> Path:
    """A file that can be written, as far as its folder says."""
    if not out.parent.is_dir():
        raise InterlockError(f"there is no folder `{out.parent}`; create it or name another file with --out")
    return out


def progress(word: str) -> Callable[[int], None] | None:
    """Tells a terminal how far a long reading is; a file or a pipe is told nothing."""
    if not sys.stderr.isatty():
        return None
    shown = time.monotonic()

    def tell(count: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= POLL_SECONDS:
            shown = now
            sys.stderr.write(f"\r{word}: {count}\r")

    return tell
