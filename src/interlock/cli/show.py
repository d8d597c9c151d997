"""`interlock show ID`: one decision, request, grant, commitment, effort, receipt or session, whole."""

from __future__ import annotations

import re
from typing import Annotated, Final

import typer

from interlock.cli.entry_text import as_document, entry_lines
from interlock.cli.json_output import print_json
from interlock.cli.ledger import connected
from interlock.cli.log import log
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.errors import InterlockError
from interlock.feature import features
from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import standing_of

_ENTRY: Final = re.compile(r"#?[0-9]+|op_\w+")
_SESSION: Final = re.compile(r"[0-9A-Za-z][\w.-]{3,}")
_KINDS: Final = (
    "use the ID of a decision (17), a request (ap_7), a grant (gr_3), a commitment (cmt_1a2b3c4d), "
    "an effort (e12), a recorded call (tc_0f3a9c2b71) or a session"
)

Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also the rules that did not match, and the whole record.")
]


def show(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="Such as 17, ap_7, gr_3, cmt_1a2b3c4d, e12 or a session.")
    ],
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> int:
    """Show one thing whole: a decision, request, grant, commitment, effort, recorded call or session."""
    require_person("show")
    if _ENTRY.fullmatch(name):
        return show_entry(name.removeprefix("#"), verbose=verbose, as_json=as_json)
    for feature in features():
        for pattern, address in feature.shows.items():
            if re.fullmatch(pattern, name):
                shown: int = feature.load(address)(name, as_json=as_json)
                return shown
    if _SESSION.fullmatch(name) and (session := _session(name)):
        if not as_json:
            typer.echo(printable(f"Session {session}: its last decisions, newest first"))
        return log(session=session, everything=True, as_json=as_json)
    raise InterlockError(f"nothing has the ID `{name}`; {_KINDS}")


def show_entry(name: str, *, verbose: bool = False, as_json: bool = False) -> int:
    """One entry of the ledger, by its number or id."""
    with connected() as connection:
        entry = LedgerReader(connection).show(name)
        if not as_json:
            typer.echo("\n".join(entry_lines(connection, entry, verbose=verbose)))
            return 0
        standing = standing_of(connection, entry)
    checkpoint = standing.checkpoint.document if standing.checkpoint else None
    chain = {"first": standing.first, "last": standing.last, "checkpoint": checkpoint}
    print_json({**as_document(entry), "holds": standing.holds, "chain": chain})
    return 0


def _session(name: str) -> str | None:
    """The newest session whose id is this or begins so."""
    with connected() as connection:
        return LedgerReader(connection).session(name)
