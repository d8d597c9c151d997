"""`settings.team_ledger`: the one Postgres that the ledgers of several machines are shipped to."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final
from urllib.parse import parse_qs, urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from interlock.policy.format.address import (
    ONE_VARIABLE,
    VARIABLE,
    AddressForm,
    address_fault,
    expanded,
    file_fault,
    form_fault,
)
from interlock.policy.format.entry import Text, about
from interlock.policy.settings_part import FileSettings, SettingsPart, merge_nothing, trusted

_MACHINE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_FORM: Final = AddressForm(
    schemes=frozenset({"postgresql", "postgres"}),
    noun="the address of a Postgres database",
    example="postgresql://interlock@db.example/interlock",
    advice="put it into a file and name the file in `password_file`",
    takes_user=True,
    takes_no_host=True,
    secret_parameters=frozenset({"password", "sslpassword"}),
)


class TeamLedgerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The database of the team ledger."""

    url: (
        Annotated[
            Text, about("`postgresql://role@host/database`; without a password, which is never stored.")
        ]
        | UnsetType
    ) = UNSET
    machine: Annotated[Text, about("This machine's name there; default: its host name.")] | UnsetType = UNSET
    password_file: (
        Annotated[Text, about("A file with the password that only you can read (0600).")] | UnsetType
    ) = UNSET
    pass_env: (
        Annotated[Text, about("The daemon's environment variable that holds the password.")] | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


class TeamLedger(msgspec.Struct, frozen=True, kw_only=True):
    """The team ledger this machine belongs to. It never holds a password."""

    url: str
    machine: str
    password_file: str | None = None
    pass_env: str | None = None

    @property
    def place(self) -> str:
        """The server and database, for people."""
        split = urlsplit(self.url)
        parameters = parse_qs(split.query)
        host = split.netloc.rpartition("@")[2] or ",".join(parameters.get("host", ["this machine"]))
        return f"{host}/{split.path.strip('/') or ','.join(parameters.get('dbname', ['?']))}"


def _merge(files: Iterable[FileSettings[TeamLedgerSettings]]) -> TeamLedger | None:
    """Use the first layer that names one; a project may not, since it would send a person's records away."""
    either = (setting for file in files for setting in (file, file.under(FLEET_LEDGER)))
    targets = [_check(file) for file in trusted(either, "say where to ship entries")]
    return next(filter(None, targets), None)


def _check(file: FileSettings[TeamLedgerSettings]) -> TeamLedger | None:
    settings = file.written
    if settings.url is UNSET:
        file.problem(f"the key `url` is missing; write the address of a Postgres database: `{_FORM.example}`")
        return None
    faults = (
        ("url", postgres_fault(settings.url)),
        ("machine", form_fault(settings.machine, _MACHINE, "letters, digits, `.`, `_` and `-`, at most 63")),
        ("pass_env", form_fault(settings.pass_env, VARIABLE, ONE_VARIABLE)),
        ("password_file", file_fault(settings.password_file, settings.pass_env, "pass_env", "password")),
    )
    for key, fault in faults:
        if fault:
            file.problem(fault, key)
    if any(fault for _, fault in faults):
        return None
    return TeamLedger(
        url=settings.url,
        machine=this_machine() if settings.machine is UNSET else settings.machine,
        password_file=None if settings.password_file is UNSET else expanded(settings.password_file),
        pass_env=None if settings.pass_env is UNSET else settings.pass_env,
    )


def postgres_fault(url: str) -> str | None:
    return address_fault(url, _FORM)


def this_machine() -> str:
    """Return the host name, in the form a team ledger accepts."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:63]
    return name if _MACHINE.fullmatch(name) else "machine"


TEAM_LEDGER: Final = SettingsPart(key="team_ledger", default=TeamLedgerSettings(), merge=_merge)
FLEET_LEDGER: Final = SettingsPart[TeamLedgerSettings, None](
    key="fleet_ledger",
    default=TeamLedgerSettings(),
    shape=Annotated[TeamLedgerSettings, about("The old name of `team_ledger`.")],
    merge=merge_nothing,
)
