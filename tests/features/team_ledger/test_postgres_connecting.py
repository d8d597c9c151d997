"""Laws of reaching the fleet's Postgres: encrypted unless here, with a password from where it is kept."""

from __future__ import annotations

import socket
from pathlib import Path

import psycopg
import pytest

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger import postgres
from interlock.features.team_ledger.postgres import connect, translate_error
from interlock.features.team_ledger.settings import TeamLedger


def given(fleet: TeamLedger, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the driver would be given; nothing is reached."""
    found: dict[str, object] = {}

    def caught(url: str, **options: object) -> None:
        found.update(options, url=url)
        raise psycopg.OperationalError("stopped here")

    monkeypatch.setattr(psycopg, "connect", caught)
    with pytest.raises(TeamLedgerError, match="stopped here"):
        connect(fleet, environ)
    return found


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgresql://a@db.example/x", "verify-full"),
        ("postgresql://a@10.0.0.5:5433/x", "verify-full"),
        ("postgresql://a@[2001:db8::1]:5432/x", "verify-full"),
        ("postgresql://a@localhost,db.example/x", "verify-full"),
        ("postgresql://a@/x?host=db.example", "verify-full"),
        ("postgresql://a@localhost/x?host=db.example", "verify-full"),
        ("postgresql://a@localhost/x?hostaddr=10.0.0.5", "verify-full"),
        ("postgresql:///x?service=fleet", "verify-full"),
        ("postgresql://a@db.example/x?sslmode=require", None),
        ("postgresql://a@localhost/x", None),
        ("postgresql://a@127.0.0.1:5433/x", None),
        ("postgresql://a@[::1]:5433/x", None),
        ("postgresql://a@/x?host=/run/postgresql", None),
        ("postgresql://%2Frun%2Fpostgresql/x", None),
        ("postgresql:///x", None),
    ],
)
def test_over_a_network_it_is_encrypted_and_to_the_right_server(
    url: str, mode: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the address says otherwise; on this machine nobody listens in."""
    assert given(TeamLedger(url=url, machine="m"), {}, monkeypatch).get("sslmode") == mode


def test_a_host_from_the_environment_is_a_network_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that says no host does not mean this machine."""
    fleet = TeamLedger(url="postgresql:///x", machine="m")

    for variable in ("PGHOST", "PGHOSTADDR", "PGSERVICE"):
        assert given(fleet, {variable: "db.example"}, monkeypatch)["sslmode"] == "verify-full"
    assert "sslmode" not in given(fleet, {"PGHOST": "/run/postgresql"}, monkeypatch)


def test_a_password_comes_from_its_file_or_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them, or libpq looks for itself."""
    file = tmp_path / "password"
    file.touch(mode=0o600)
    file.write_text("top secret \n")
    url = "postgresql:///x"

    by_file = given(TeamLedger(url=url, machine="m", password_file=str(file)), {}, monkeypatch)
    by_name = given(TeamLedger(url=url, machine="m", pass_env="PW"), {"PW": "of env"}, monkeypatch)
    assert (by_file["password"], by_name["password"]) == ("top secret ", "of env")
    assert "password" not in given(TeamLedger(url=url, machine="m"), {"PGPASSWORD": "x"}, monkeypatch)


def test_a_password_others_can_read_is_refused(tmp_path: Path) -> None:
    """So is one that does not exist; a person must mend both."""
    file = tmp_path / "password"
    file.write_text("x")
    file.chmod(0o644)
    for fleet in (
        TeamLedger(url="postgresql:///x", machine="m", password_file=str(file)),
        TeamLedger(url="postgresql:///x", machine="m", password_file=str(tmp_path / "none")),
        TeamLedger(url="postgresql:///x", machine="m", pass_env="NOT_SET"),
    ):
        with pytest.raises(TeamLedgerError) as caught:
            connect(fleet, {})
        assert caught.value.lasting


def test_without_a_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.setattr(postgres, "find_spec", lambda name: None)
    with pytest.raises(TeamLedgerError, match=r"pip install 'interlock\[postgres\]'") as caught:
        connect(TeamLedger(url="postgresql:///x", machine="m"), {})

    assert caught.value.lasting


def test_a_server_that_is_not_there_is_tried_again() -> None:
    """That is not a mistake of the policy's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(TeamLedgerError, match="cannot be reached") as caught:
        connect(TeamLedger(url=f"postgresql://a@127.0.0.1:{port}/x", machine="m"), {})

    assert not caught.value.lasting
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "lasting"),
    [
        ('connection failed: FATAL:  password authentication failed for user "a"', True),
        ('connection failed: FATAL:  database "x" does not exist', True),
        ("connection failed: fe_sendauth: no password supplied", True),
        ("connection failed: FATAL:  the database system is starting up", False),
        ("consuming input failed: server closed the connection unexpectedly\n\tThis probably means", False),
    ],
)
def test_what_a_person_must_mend_is_told_from_what_passes(text: str, lasting: bool) -> None:
    """A refused connection has no state, so its words are read."""
    assert translate_error(psycopg.OperationalError(text)).lasting is lasting
