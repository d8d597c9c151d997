"""The team ledger's Postgres: connecting, errors in our words, and the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.settings import TeamLedger
from interlock.files.own_files import bundled_file, read_private
from interlock.store.migrations import Step
from interlock.store.statements import parse_statements

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]


INIT: Final = "interlock ledger team init"

# Text by SQLSTATE; each ends with the next step. A person must fix these, so we retry less often.
_LASTING: Final = {
    "28P01": "the server rejects this role and password; check `password_file` or `pass_env`",
    "28000": "the server rejects this role; check the address and the server's pg_hba.conf",
    "3D000": "there is no such database; make it with `createdb`",
    "3F000": f"the database has no team ledger yet; run `{INIT}` as its owner",
    "42P01": f"the database has no team ledger yet; run `{INIT}` as its owner",
    "42883": f"the team ledger was made by an older Interlock; run `{INIT}` as its owner",
    "42501": f"this role may not do that; the owner can allow it with `{INIT} --ship ROLE` or `--read ROLE`",
    "IL001": (
        "the team ledger has another entry in that place: this ledger was restored from a backup or "
        "rewritten, or another machine ships it; run `interlock ledger verify`, then give it a new name "
        "with `machine`"
    ),
    "IL002": "the team ledger lacks the entries before these; run `interlock ledger team verify`",
    "IL003": (
        "this machine's name belongs to another role in the team ledger; choose another name with `machine`"
    ),
    "IL004": "an entry does not match its hash; run `interlock ledger verify`",
}
_PASSING: Final = {
    "53100": "the server's disk is full",
    "53300": "the server has no connection left",
    "57014": "the server took too long",
    "55P03": "another machine has locked the team ledger for too long",
    "57P01": "the server is shutting down",
    "57P02": "the server crashed and is starting again",
    "57P03": "the server is starting",
}
# A refused connection has no SQLSTATE, only a message. In another language it counts as a passing error.
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


def translate_error(error: psycopg.Error) -> TeamLedgerError:
    """Return an error that says what went wrong and what to do, and whether waiting may help."""
    text = str(error)
    state = error.sqlstate or next((state for words, state in _WORDS.items() if words in text), "")
    if state in _LASTING:
        return TeamLedgerError(f"the team ledger: {_LASTING[state]}", lasting=True)
    if state in _PASSING:
        return TeamLedgerError(f"the team ledger: {_PASSING[state]}; it will be tried again")
    message = " ".join(text.split("\n", maxsplit=1)[0].split())
    return TeamLedgerError(f"the team ledger cannot be reached: {message or type(error).__name__}")


INSTALL: Final = "pip install 'interlock[postgres]'"
_LONGEST: Final = 4_096
_HERE: Final = frozenset({"", "localhost", "127.0.0.1", "::1"})
# A server that is gone is noticed within half a minute, whatever the network does with our packets.
_BOUNDS: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "interlock",
}


@cache
def postgres_statements() -> Mapping[str, bytes]:
    text = bundled_file("features/team_ledger/sql/fleet.sql").read_text("utf-8")
    return {name: statement.encode() for name, statement in parse_statements(text).items()}


def installed() -> bool:
    return find_spec("psycopg") is not None


def connect(fleet: TeamLedger, environ: Mapping[str, str]) -> Connection:
    """Connect with autocommit."""
    if not installed():
        raise TeamLedgerError(
            f"the team ledger needs a driver for Postgres; run `{INSTALL}` and restart the daemon",
            lasting=True,
        )
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    parameters: dict[str, Any] = dict(_BOUNDS) | _password(fleet, environ)
    try:
        parameters |= _tls_parameters(conninfo_to_dict(fleet.url), environ)
        # No prepared statements: a pooler may send each statement to another session.
        connection = psycopg.connect(fleet.url, autocommit=True, prepare_threshold=None, **parameters)
    except psycopg.Error as error:
        raise translate_error(error) from None  # the cause may quote the password
    try:
        with postgres_errors():
            connection.execute(postgres_statements()["session"])
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def postgres_errors() -> Iterator[None]:
    """Turn the driver's errors into ours."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise translate_error(error) from error


def _tls_parameters(address: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Require TLS and a verified server over a network, unless the address sets `sslmode`.

    `address` is as the client library reads it. Without a host there, the environment or a service file may
    name one.
    """
    if "sslmode" in address:
        return {}
    named_hosts = [
        address.get("host") or environ.get("PGHOST", ""),
        address.get("hostaddr") or environ.get("PGHOSTADDR", ""),
    ]
    hosts = [host for text in named_hosts for host in str(text).split(",")]
    service = "service" in address or "PGSERVICE" in environ
    here = not service and all(host.startswith("/") or host in _HERE for host in hosts)
    return {} if here else {"sslmode": "verify-full"}


def _password(fleet: TeamLedger, environ: Mapping[str, str]) -> dict[str, str]:
    if fleet.pass_env is not None:
        if fleet.pass_env not in environ:
            raise TeamLedgerError(
                f"the team ledger: `{fleet.pass_env}` is not set here; set it for the daemon, or use "
                "`password_file`",
                lasting=True,
            )
        return {"password": environ[fleet.pass_env]}
    if fleet.password_file is None:
        return {}  # the client library itself looks in PGPASSFILE or ~/.pgpass
    try:
        text = read_private(Path(fleet.password_file), _LONGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise TeamLedgerError(
            f"the team ledger: cannot read `{fleet.password_file}`: {reason}; only you may be able to "
            "read the file (0600)",
            lasting=True,
        ) from None
    return {"password": text.strip("\r\n")}


_STEP: Final = re.compile(r"(\d{4})_(\w+)\.sql")


@cache
def schema_steps() -> tuple[Step, ...]:
    steps = []
    for file in bundled_file("features/team_ledger/schema").iterdir():
        match = _STEP.fullmatch(file.name)
        if match:
            steps.append(Step(number=int(match[1]), name=match[2], sql=file.read_text("utf-8")))
    return tuple(sorted(steps, key=lambda step: step.number))


def schema_version(connection: Connection) -> int:
    """The last migration this database has run; 0 without a team ledger."""
    sql = postgres_statements()
    with postgres_errors():
        if not _fetch_value(connection, sql["steps_table"]):
            return 0
        return int(_fetch_value(connection, sql["version"]))


def check_usable(connection: Connection) -> None:
    """Raise for a database without a team ledger, or with an older one.

    A newer one is used as it is: migrations only add, since the machines of a team never update all at once.
    """
    at, newest = schema_version(connection), schema_steps()[-1].number
    if at == 0:
        raise TeamLedgerError(f"the database has no team ledger yet; run `{INIT}` as its owner", lasting=True)
    if at < newest:
        raise TeamLedgerError(
            f"the team ledger was made by an older Interlock (schema {at}, this one knows {newest}); run "
            f"`{INIT}` as its owner",
            lasting=True,
        )


def migrate_postgres(connection: Connection, steps: Sequence[Step] | None = None) -> list[int]:
    """Run the missing migrations in one transaction and return their numbers."""
    sql = postgres_statements()
    numbers = []
    with postgres_errors():
        if _fetch_value(connection, sql["encoding"]) != "UTF8":
            raise TeamLedgerError(
                "the database does not use UTF-8; make another one with `createdb --encoding UTF8 -T "
                "template0`"
            )
        with connection.transaction():
            connection.execute(sql["lock_schema"])
            at = schema_version(connection)  # read after locking: another migration may just have run
            for step in steps or schema_steps():
                if step.number > at:
                    connection.execute(step.sql.encode())
                    connection.execute(sql["add_step"], {"number": step.number, "name": step.name})
                    numbers.append(step.number)
    return numbers


def grant(connection: Connection, *, ship: Sequence[str] = (), read: Sequence[str] = ()) -> None:
    sql = postgres_statements()
    with postgres_errors(), connection.transaction():
        for role in ship:
            connection.execute(sql["let_ship"], {"role": role})
        for role in read:
            connection.execute(sql["let_read"], {"role": role})


def _fetch_value(connection: Connection, statement: bytes) -> Any:
    row = connection.execute(statement).fetchone()
    return row[0] if row else None
