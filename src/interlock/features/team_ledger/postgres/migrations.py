"""Bringing the team ledger's database up to the schema this version knows, when a person asks for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.postgres.connect import INIT, postgres_errors, postgres_statements
from interlock.store.migrations import Step

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres.connect import Connection

_STEP: Final = re.compile(r"(\d{4})_(\w+)\.sql")


@cache
def schema_steps() -> tuple[Step, ...]:
    """Every step this version ships, in order."""
    found = []
    for file in (files("interlock.features.team_ledger.postgres") / "schema").iterdir():
        named = _STEP.fullmatch(file.name)
        if named:
            found.append(Step(number=int(named[1]), name=named[2], sql=file.read_text("utf-8")))
    return tuple(sorted(found, key=lambda step: step.number))


def schema_version(connection: Connection) -> int:
    """The number of the last step this database has seen; 0 when it has no team ledger."""
    sql = postgres_statements()
    with postgres_errors():
        if not _one(connection, sql["steps_table"]):
            return 0
        return int(_one(connection, sql["version"]))


def check_usable(connection: Connection) -> None:
    """Refuse a database without a team ledger, or with one this version does not know."""
    at, newest = schema_version(connection), schema_steps()[-1].number
    if at == 0:
        raise TeamLedgerError(f"the database has no team ledger yet; run `{INIT}` as its owner", lasting=True)
    if at < newest:
        raise TeamLedgerError(
            f"the team ledger was made by an older Interlock (schema {at}, this one knows {newest}); run "
            f"`{INIT}` as its owner",
            lasting=True,
        )
    # A newer one is used as it is: steps only add, since the machines of a team are never updated at once.


def migrate_postgres(connection: Connection, known: Sequence[Step] | None = None) -> list[int]:
    """Run the steps that are missing, all or none; give their numbers."""
    sql = postgres_statements()
    done = []
    with postgres_errors():
        if _one(connection, sql["encoding"]) != "UTF8":
            raise TeamLedgerError(
                "the database does not use UTF-8; make another one with `createdb --encoding UTF8 -T "
                "template0`"
            )
        with connection.transaction():
            connection.execute(sql["lock_schema"])
            at = schema_version(connection)  # behind the lock: somebody else may have done it meanwhile
            for step in known or schema_steps():
                if step.number > at:
                    connection.execute(step.sql.encode())
                    connection.execute(sql["add_step"], {"number": step.number, "name": step.name})
                    done.append(step.number)
    return done


def grant(connection: Connection, *, ship: Sequence[str] = (), read: Sequence[str] = ()) -> None:
    """Let roles ship or read."""
    sql = postgres_statements()
    with postgres_errors(), connection.transaction():
        for role in ship:
            connection.execute(sql["let_ship"], {"role": role})
        for role in read:
            connection.execute(sql["let_read"], {"role": role})


def _one(connection: Connection, statement: bytes) -> Any:
    found = connection.execute(statement).fetchone()
    return found[0] if found else None
