"""What Postgres' errors mean to the person who must do something about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from interlock.errors import TeamLedgerError

if TYPE_CHECKING:
    import psycopg

INIT: Final = "interlock ledger team init"

# By state; each ends with the next step. What a person must mend is asked for less often.
_LASTING: Final = {
    "28P01": "the server does not take this role and password; check `password_file` or `pass_env`",
    "28000": "the server does not take this role; check the address and the server's pg_hba.conf",
    "3D000": "there is no such database; make it with `createdb`",
    "3F000": f"the database has no team ledger yet; run `{INIT}` as its owner",
    "42P01": f"the database has no team ledger yet; run `{INIT}` as its owner",
    "42883": f"the team ledger is of an older Interlock; run `{INIT}` as its owner",
    "42501": f"this role may not do that; its owner grants it by `{INIT} --ship ROLE` or `--read ROLE`",
    "IL001": (
        "another entry stands at that place in the fleet: this ledger was restored from a backup or "
        "rewritten, or another machine ships it; run `interlock ledger verify`, then give it a new name by "
        "`machine`"
    ),
    "IL002": "entries before these are missing in the fleet; run `interlock ledger team verify`",
    "IL003": "this machine's name belongs to another role in the fleet; choose another by `machine`",
    "IL004": "an entry does not fit its hash; run `interlock ledger verify`",
}
_PASSING: Final = {
    "53100": "the server's disk is full",
    "53300": "the server has no connection left",
    "57014": "the server took too long",
    "55P03": "another machine holds the team ledger for long",
    "57P01": "the server is shutting down",
    "57P02": "the server has crashed and starts again",
    "57P03": "the server is starting",
}
# A refused connection has no state, only words; in another language it is tried again as any other.
_WORDS: Final = {
    "password authentication failed": "28P01",
    "no password supplied": "28P01",
    "pg_hba.conf": "28000",
    "is not permitted to log in": "28000",
    'role "': "28000",
    'database "': "3D000",
    "the database system is starting up": "57P03",
    "the database system is shutting down": "57P01",
    "too many clients": "53300",
}


def translated(error: psycopg.Error) -> TeamLedgerError:
    """Say what went wrong and what to do, in one sentence, and whether waiting may help."""
    text = str(error)
    state = error.sqlstate or next((state for words, state in _WORDS.items() if words in text), "")
    if state in _LASTING:
        return TeamLedgerError(f"the team ledger: {_LASTING[state]}", lasting=True)
    if state in _PASSING:
        return TeamLedgerError(f"the team ledger: {_PASSING[state]}; it is tried again")
    said = " ".join(text.split("\n", maxsplit=1)[0].split())
    return TeamLedgerError(f"the team ledger cannot be reached: {said or type(error).__name__}")
