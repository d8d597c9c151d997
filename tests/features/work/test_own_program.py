"""Laws of how an agent is told to type our command line: by what its PATH really leads to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.features.work.own_commands import OwnProgram

VENV = Path(sys.executable).parent


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """What `install` put beside the shim."""
    return program(tmp_path / "data" / "interlock")


def program(path: Path) -> Path:
    """A program that can be run."""
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    """A process of an agent, with the PATH the test asks for."""
    search = request.param.replace("TMP", str(tmp_path))
    env = {"PATH": search, "INTERLOCK_HOME": str(tmp_path / "home")}
    with subprocess.Popen(["/bin/sleep", "60"], env=env) as running:
        yield running.pid
        running.kill()


@pytest.mark.deep
@pytest.mark.req("E39", "E49")
@pytest.mark.parametrize(
    ("host", "by_name"),
    [
        (f"{VENV}:{os.defpath}", True),
        (f"TMP/link:{os.defpath}", True),
        (os.defpath, False),
        (f"TMP/other:{VENV}:{os.defpath}", False),
        (".", False),
    ],
    indirect=["host"],
)
def test_the_bare_name_is_told_only_where_it_leads_to_us(
    tmp_path: Path, installed: Path, host: int, by_name: bool
) -> None:
    """A link to it does; another program of that name before it would leave the agent held for ever."""
    program(tmp_path / "other" / "interlock")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "interlock").symlink_to(installed)
    told = OwnProgram(installed, tmp_path / "home" / "state").typed(host)

    assert told == ("interlock" if by_name else str(installed))


def test_where_nobody_knows_the_environment_the_whole_path_is_told(tmp_path: Path, installed: Path) -> None:
    """It works everywhere; and where nothing is installed, there is only the name."""
    own = OwnProgram(installed, tmp_path)

    assert own.typed(None) == str(installed)
    installed.unlink()
    assert own.typed(None) == "interlock"
