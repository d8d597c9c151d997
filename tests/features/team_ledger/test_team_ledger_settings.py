"""Laws of `settings.team_ledger`."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.features.team_ledger.settings import TEAM_LEDGER, TeamLedger, this_machine
from interlock.policy.load import load_policy

URL = "postgresql://laptop@db.example/interlock"


def loaded(tmp_path: Path, *files: tuple[Layer, str], key: str = "team_ledger") -> TeamLedger | None:
    """What some files say together."""
    found = []
    for number, (layer, text) in enumerate(files):
        path = tmp_path / str(number) / "genesis.key"
        path.parent.mkdir(parents=True)
        path.write_text(f'version: "2.0"\nsettings:\n  {key}: {text}\n')
        found.append((layer, path))
    return TEAM_LEDGER.get(load_policy(found, environ={}))


def test_without_a_word_nothing_is_shipped() -> None:
    """Most people have one machine."""
    assert TEAM_LEDGER.get(load_policy([], environ={})) is None


def test_an_address_is_enough_and_the_machine_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is the host's, with what a fleet does not take replaced."""
    monkeypatch.setattr(socket, "gethostname", lambda: "my laptop.local")
    found = loaded(tmp_path, (Layer.USER, f"{{url: '{URL}'}}"))

    assert found == TeamLedger(url=URL, machine="my-laptop.local")
    monkeypatch.setattr(socket, "gethostname", lambda: "")
    assert this_machine() == "machine"


def test_the_managed_word_stands(tmp_path: Path) -> None:
    """An organisation that names a fleet cannot be led to another one."""
    managed = (Layer.MANAGED, f"{{url: '{URL}', machine: a, password_file: /etc/interlock/pw}}")
    user = (Layer.USER, "{url: 'postgresql://me@elsewhere/x', machine: b}")

    assert loaded(tmp_path, user, managed) == TeamLedger(
        url=URL, machine="a", password_file="/etc/interlock/pw"
    )


def test_the_old_name_of_the_key_means_the_same(tmp_path: Path) -> None:
    """Policies that say `fleet_ledger` go on working, and their mistakes are named where they stand."""
    assert loaded(
        tmp_path / "a", (Layer.USER, f"{{url: '{URL}', machine: m}}"), key="fleet_ledger"
    ) == TeamLedger(url=URL, machine="m")
    with pytest.raises(ConfigError, match=r"settings\.fleet_ledger"):
        loaded(tmp_path / "b", (Layer.USER, "{machine: m}"), key="fleet_ledger")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{machine: a}", "the key `url` is missing"),
        ("{url: 'mysql://a@b/c'}", "not the address of a Postgres"),
        ("{url: 'host=a dbname=b'}", "not the address of a Postgres"),
        ("{url: 'postgresql://[::1/x'}", "it is not an address"),
        ("{url: 'postgresql://a:hunter22@b/c'}", "a password does not belong here"),
        ("{url: 'postgresql://a@b/c?password=hunter22'}", "a password does not belong here"),
        ("{url: 'postgresql://a@b/c?sslpassword=hunter22'}", "a password does not belong here"),
        (f"{{url: '{URL}', machine: 'a b'}}", "machine: it cannot be used"),
        (f"{{url: '{URL}', machine: '-a'}}", "machine: it cannot be used"),
        (f"{{url: '{URL}', pass_env: 'A=B'}}", "pass_env: it cannot be used"),
        (f"{{url: '{URL}', password_file: pw}}", "`pw` depends on the current folder"),
        (f"{{url: '{URL}', password_file: /pw, pass_env: A}}", "keep one of them"),
        (f"{{url: '{URL}', machines: a}}", "unknown"),
    ],
)
def test_a_mistake_is_named_and_a_password_is_not_repeated(tmp_path: Path, text: str, said: str) -> None:
    """What is wrong is said in one sentence; an address is never quoted."""
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, (Layer.USER, text))

    assert said in str(caught.value)
    assert "hunter22" not in str(caught.value)


def test_a_project_may_not_send_records_anywhere(tmp_path: Path) -> None:
    """A repository has no say about where a person's records go."""
    with pytest.raises(ConfigError, match="only the managed or user layer may say where to ship entries"):
        loaded(tmp_path, (Layer.PROJECT, f"{{url: '{URL}'}}"))


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (URL, "db.example/interlock"),
        ("postgresql://a@db:5433/x?sslmode=require", "db:5433/x"),
        ("postgresql://a@/x?host=/run/pg", "/run/pg/x"),
        ("postgresql:///x", "this machine/x"),
        ("postgresql://a@h?dbname=y", "h/y"),
    ],
)
def test_the_place_names_server_and_database_and_no_role(url: str, place: str) -> None:
    """As people know them."""
    assert TeamLedger(url=url, machine="m").place == place
