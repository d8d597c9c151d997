"""The shim's place and the launch file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from interlock.hosts.launching import SHIM, Installation, Launch, install_place, read_launch, shim_program
from interlock.version import __version__

LAUNCH = Launch(
    socket="/run/i.sock",
    state="/state",
    start_lock="/run/start.lock",
    argv=("/usr/bin/python3", "-I", "-m", "interlock.daemon", "run", "--state=/state"),
    environment={"HOME": "/home/dev", "LANG": "C.UTF-8"},
)
HEAD = "interlock-launch 1\n/s\n/t\n/l\n"


def test_what_is_written_is_what_is_read() -> None:
    """The text and its reading are each other's inverse."""
    assert read_launch(LAUNCH.text()) == LAUNCH


def test_a_value_of_two_lines_does_not_become_a_line_of_its_own() -> None:
    """A variable cannot smuggle in an argument."""
    text = Launch(
        socket="/s", state="/t", start_lock="/l", argv=("/p",), environment={"LANG": "C\n/evil"}
    ).text()

    assert "/evil" not in text
    assert read_launch(text).argv == ("/p",)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "another version"),
        ("interlock-launch 2\n", "another version"),
        ("interlock-launch 1\n/s\n/t\n", "start lock"),
        ("interlock-launch 1\ns\n/t\n/l\n/p\n", "socket"),
        (HEAD, "full path"),
        (f"{HEAD}python\n", "full path"),
        (f"{HEAD}env A=b\n", "full path"),
    ],
)
@pytest.mark.req("T09")
def test_a_launch_file_that_is_none_is_refused(text: str, wrong: str) -> None:
    """A missing path, or a program by its bare name, is named."""
    with pytest.raises(ValueError, match=wrong):
        read_launch(text)


def test_the_place_is_below_the_home_or_in_the_data_folder(tmp_path: Path) -> None:
    """INTERLOCK_HOME first, an absolute XDG_DATA_HOME next, else the usual folder."""
    places = [
        install_place(environ, home=tmp_path, cwd=Path("/here"))
        for environ in (
            {"INTERLOCK_HOME": "/own", "XDG_DATA_HOME": "/data"},
            {"INTERLOCK_HOME": "own"},
            {"XDG_DATA_HOME": "/data"},
            {"XDG_DATA_HOME": "data"},
        )
    ]

    assert [(str(place.shim), str(place.home)) for place in places] == [
        ("/own/bin/interlock-hook", "/own"),
        ("/here/own/bin/interlock-hook", "/here/own"),
        ("/data/interlock/bin/interlock-hook", "None"),
        (f"{tmp_path}/.local/share/interlock/bin/interlock-hook", "None"),
    ]


def test_the_home_is_named_only_when_it_is_not_the_default() -> None:
    """The shim is told where to look, or looks beside itself."""
    own = Installation(folder=Path("/own/bin"), home=Path("/own"))
    usual = Installation(folder=Path("/data/bin"), home=None)

    assert own.arguments("claude-code") == ["--home", "/own", "claude-code"]
    assert [str(file) for file in own.launch_files] == ["/own/bin/interlock-hook.launch", "/own/launch"]
    assert usual.arguments("claude-code") == ["claude-code"]
    assert own.arguments("claude-code", "ab") == ["--home", "/own", "--token=ab", "claude-code"]
    assert [str(file) for file in usual.launch_files] == ["/data/bin/interlock-hook.launch"]


def test_the_native_shim_is_taken_as_it_is(tmp_path: Path) -> None:
    """Bytes of a program are copied, whatever they are."""
    (tmp_path / SHIM).write_bytes(b"\x7fELF...")

    assert shim_program(tmp_path, sys.executable, {}) == b"\x7fELF..."


@pytest.mark.deep
@pytest.mark.parametrize("beside", [None, b"#!/usr/bin/env python3\n"])
def test_without_a_native_shim_a_script_stands_in(tmp_path: Path, beside: bytes | None) -> None:
    """Missing, or itself a script of an unknown Python: ours names its Python by its full path."""
    if beside:
        (tmp_path / SHIM).write_bytes(beside)
    program = tmp_path / "made"
    program.write_bytes(shim_program(tmp_path, sys.executable, {"XDG_STATE_HOME": "/it's"}))
    program.chmod(0o755)

    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)

    assert done.stdout == f"interlock-hook {__version__}\n"
    assert "export XDG_STATE_HOME='/it'\"'\"'s'" in program.read_text()


@pytest.mark.deep
def test_a_script_whose_python_is_gone_refuses(tmp_path: Path) -> None:
    """Exit code 2 is a refusal; 127 would let the call pass."""
    program = tmp_path / "made"
    program.write_bytes(shim_program(tmp_path, "/nonexistent/python", {}))
    program.chmod(0o755)

    done = subprocess.run([program, "claude-code"], input=b"{}", capture_output=True, check=False)

    assert done.returncode == 2
