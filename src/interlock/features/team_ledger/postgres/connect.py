"""A connection to the fleet's Postgres, with the password from where the settings say it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.postgres.errors import translated
from interlock.features.team_ledger.settings import TeamLedger
from interlock.files.own_files import read_private
from interlock.store.statements import parse_statements

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

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
def fleet_statements() -> Mapping[str, bytes]:
    """The statements of `sql/fleet.sql` by name, as the driver takes them."""
    text = (files("interlock.features.team_ledger.postgres") / "sql" / "fleet.sql").read_text("utf-8")
    return {name: statement.encode() for name, statement in parse_statements(text).items()}


def installed() -> bool:
    """Whether the driver is there; it is an extra."""
    return find_spec("psycopg") is not None


def connect(fleet: TeamLedger, environ: Mapping[str, str]) -> Connection:
    """Connect; every statement is a transaction of its own unless one is opened."""
    if not installed():
        raise TeamLedgerError(
            f"the team ledger needs a driver for Postgres; run `{INSTALL}` and restart the daemon",
            lasting=True,
        )
    import psycopg  # noqa: PLC0415 - an extra; it takes 150 ms to load, and only the team ledger needs it
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - as above

    given: dict[str, Any] = dict(_BOUNDS) | _password(fleet, environ)
    try:
        given |= _protected(conninfo_to_dict(fleet.url), environ)
        # Nothing is prepared: poolers hand each statement to another session.
        connection = psycopg.connect(fleet.url, autocommit=True, prepare_threshold=None, **given)
    except psycopg.Error as error:
        raise translated(error) from None  # the cause may quote what it was given
    try:
        with fleet_errors():
            connection.execute(fleet_statements()["session"])
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def fleet_errors() -> Iterator[None]:
    """The driver's errors in our words."""
    import psycopg  # noqa: PLC0415 - as above

    try:
        yield
    except psycopg.Error as error:
        raise translated(error) from error


def _protected(asked: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """Over a network only encrypted and to the right server, unless the address says otherwise.

    As the client library has read the address: where it says no host, the environment or a service may.
    """
    if "sslmode" in asked:
        return {}
    named = [
        asked.get("host") or environ.get("PGHOST", ""),
        asked.get("hostaddr") or environ.get("PGHOSTADDR", ""),
    ]
    hosts = [host for text in named for host in str(text).split(",")]
    service = "service" in asked or "PGSERVICE" in environ
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
        return {}  # the client library looks for itself, in PGPASSFILE or ~/.pgpass
    try:
        text = read_private(Path(fleet.password_file), _LONGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise TeamLedgerError(
            f"the team ledger: cannot read `{fleet.password_file}`: {reason}; it must be yours alone (0600)",
            lasting=True,
        ) from None
    return {"password": text.strip("\r\n")}
