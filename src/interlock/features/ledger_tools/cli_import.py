"""`interlock ledger import`: what another ledger recorded, taken into this one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.ledger import JsonResult, progress
from interlock.cli.output import printable
from interlock.errors import InterlockError
from interlock.features.ledger_tools.mentu import Imported, read_mentu, refuse_problems
from interlock.policy.projects import marked_root

importing = typer.Typer()
_GROUP: Final = 200
_GROUP_BYTES: Final = 256 * 1024  # of a request, which may have 1 MB


class Source(StrEnum):
    """Whose ledger it is."""

    MENTU = "mentu"


@importing.command("import", epilog="Example: interlock ledger import .mentu/ledger.jsonl")
def import_ledger(
    file: Annotated[Path, typer.Argument(help="The ledger to take in.")],
    form: Annotated[Source, typer.Option("--format", help="Whose it is.")] = Source.MENTU,
    broken: Annotated[
        bool, typer.Option("--broken", help="Also when its chain is broken; each entry says so.")
    ] = False,
    as_json: JsonResult = False,
) -> int:
    """Check another ledger's own chain, and record each of its entries once; a second time adds nothing."""
    if not broken:
        refuse_problems(_lines(file), str(file))  # all of it before any of it
    place = _place(file)
    added = known = bad = 0
    tell = progress("imported")
    for group in _groups(_lines(file)):
        if not broken:
            refuse_problems(group, str(file))  # it was changed since it was looked at
        entries = [{"id": one.name, "body": {**one.body, **place}} for one in group if one.digest]
        answer = ask_daemon("ledger.import", {"entries": entries}) if entries else {"added": 0, "known": 0}
        added, known = added + answer["added"], known + answer["known"]
        for one in group:
            if one.problem:
                bad += 1
                typer.echo(printable(f"line {one.line}: {one.problem}"), err=True)
        if tell is not None:
            tell(added + known)
    if as_json:
        print_json({"format": form, "added": added, "known": known, "problems": bad})
    else:
        typer.echo(f"imported {added} entries; {known} were here already")
    return 1 if bad else 0


def _place(file: Path) -> dict[str, str]:
    """The project the ledger lies in: its commitments go on there."""
    found = marked_root(os.path.realpath(file.parent))
    return {} if found is None else {"workspace": found}


def _lines(file: Path) -> Iterator[Imported]:
    try:
        with file.open("rb") as stream:
            yield from read_mentu(stream)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InterlockError(f"cannot read `{file}`: {reason}; name another file") from error


def _groups(found: Iterable[Imported]) -> Iterator[list[Imported]]:
    """As many as fit into one request: what is answered for is on disk, and an interruption loses no more."""
    group: list[Imported] = []
    size = 0
    for one in found:
        length = len(msgspec.json.encode(one.entry))
        if group and (len(group) == _GROUP or size + length > _GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(one)
        size += length
    if group:
        yield group
