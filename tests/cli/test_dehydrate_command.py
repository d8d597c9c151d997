"""Typing a handover: from a file, as it is or piped, and how it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_work_commands import PAYLOAD, messages_of
from tests.cli.test_work_commands import typed as typed  # noqa: PLC0414 - a fixture for this file too
from tests.cli.typed import Interlock
from tests.daemon.home import Home

pytestmark = pytest.mark.deep


@pytest.mark.req("E64")
def test_a_payload_comes_from_a_file(typed: Interlock, served: Home, work: Path) -> None:
    """Which any host lets an agent write and name; typed as it is, or piped, it does as well."""
    file = work / "it's here.json"
    missing = typed("session", "dehydrate", file.name)
    file.write_text('{"summary": "x"}')
    wrong = typed("session", "dehydrate", file.name)
    file.write_bytes(b" " * (64 * 1024 + 1))
    long = typed("session", "dehydrate", str(file))
    assert f"cannot read `{file.name}`: no such file or directory; write the handover" in missing.err
    assert "the payload has no `lastAction`" in wrong.err
    assert "bytes" in long.err

    file.write_text(json.dumps(PAYLOAD))
    for given in (str(file), json.dumps(PAYLOAD), "-"):
        typed("effort", "start", "cart", "fix")
        number = str(messages_of(served, "u-8", []))
        typed("effort", "resume", "--session", number)
        done = typed("session", "dehydrate", given, "--session", number, stdin=file.read_bytes())
        assert done.code == 0, done.err
        typed("effort", "finish")


@pytest.mark.req("E64")
@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b"", "there is no payload"),
        (b"{", "the payload is not JSON"),
        (b'{"summary": "x"}', "the payload has no `lastAction`"),
        (json.dumps({**PAYLOAD, "requiredFiles": ["f"] * 9}).encode(), "`requiredFiles` has 9 files"),
        (json.dumps(PAYLOAD).encode(), "there is no open session here; name one with --session"),
    ],
)
def test_a_payload_is_checked_before_anything_ends(typed: Interlock, payload: bytes, said: str) -> None:
    """One sentence says what is wrong."""
    done = typed("session", "dehydrate", stdin=payload)

    assert done.code != 0
    assert said in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.req("E49")
def test_an_error_names_our_command_as_it_can_be_typed(
    typed: Interlock, served: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its whole path, where the shell's PATH has none and one is installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    bare = typed("effort", "log", "x").err
    program = served.folder / "bin" / "interlock"
    program.parent.mkdir(exist_ok=True)
    program.touch()
    whole = typed("effort", "log", "x").err

    assert "start one with `interlock effort start TASK SKILL`" in bare
    assert f"start one with `{program} effort start TASK SKILL`" in whole
