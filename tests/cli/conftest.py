"""What the command line's tests share: typing a command, and a folder to type it in."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.typed import Interlock, Typed
from tests.daemon.conftest import place as place  # noqa: PLC0414 - a fixture for this folder too
from tests.daemon.conftest import served as served  # noqa: PLC0414 - the same
from tests.handlers.endpoint import Endpoint, serving

from interlock.cli.entry import main


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder the commands are typed in, before a wide and plain screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("_TYPER_FORCE_DISABLE_TERMINAL", "1")
    return tmp_path


@pytest.fixture
def interlock(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Interlock:
    """Type a command in this process, which is quicker than starting one each time."""

    def typed(*arguments: str, stdin: bytes = b"") -> Typed:
        monkeypatch.setattr(sys, "argv", ["interlock", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        printed = capsys.readouterr()
        return Typed(code, printed.out, printed.err)

    return typed


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A real server on the loopback address."""
    with serving(Endpoint()) as served:
        yield served
