"""The door of the command line, as its own process."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT, Interlock, policy, typed_for_real

from interlock.version import __version__

pytestmark = pytest.mark.deep

_DENIED = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: deny, name: n, config: {reason: blocked}}\n'
_SIMULATE = ("hooks", "simulate", "--tool", "Bash", "--args", "ls")


def test_the_version_is_printed(interlock: Interlock) -> None:
    """By the quick way and by the long way it is the same line."""
    assert interlock("--version").out == f"interlock {__version__}\n"
    assert typed_for_real("--version").out == f"interlock {__version__}\n"


def test_the_version_is_answered_before_anything_heavy_is_loaded() -> None:
    """Scripts ask it at every start, so neither typer nor msgspec is imported for it."""
    code = (
        "import sys; sys.argv = ['interlock', '--version']\n"
        "from interlock.cli.main import main\n"
        "assert main() == 0\n"
        "print(*sorted(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.splitlines()[1].split()}

    assert "interlock" in loaded
    assert not loaded & {"typer", "click", "rich", "msgspec", "yaml", "httpx", "re2", "asyncio"}


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a person sees who types this."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(environment)
        os.execv(SCRIPT, [SCRIPT, *arguments])
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return seen.decode()


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal whose owner has no wish about colours."""
    for name in ("NO_COLOR", "_TYPER_FORCE_DISABLE_TERMINAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.usefixtures("work", "plain")
def test_a_terminal_sees_the_decision_in_colour(work: Path) -> None:
    """Colour appears on a terminal, goes with NO_COLOR, and never reaches a pipe."""
    words = (*_SIMULATE, "--config", policy(work, _DENIED))
    coloured = on_a_terminal(*words)

    assert "decision: \x1b[31m\x1b[1mdeny\x1b[0m (blocked)" in coloured
    assert "\x1b" not in on_a_terminal(*words, NO_COLOR="1")
    assert "\x1b" in on_a_terminal(*words, NO_COLOR="")
    assert "\x1b" not in typed_for_real(*words).out
    assert "\x1b" not in on_a_terminal(*words, "--json")


@pytest.mark.usefixtures("work", "plain")
def test_help_has_no_colour_where_nobody_wants_it() -> None:
    """With NO_COLOR the help keeps to bold and dim; in a pipe it has no escapes at all."""
    colour = re.compile(r"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7])[0-9;]*m")

    assert colour.search(on_a_terminal("paths", "--help"))
    assert not colour.search(on_a_terminal("paths", "--help", NO_COLOR="1"))
    assert "\x1b" not in typed_for_real("paths", "--help").out


@pytest.mark.req("Z09")
@pytest.mark.usefixtures("work", "plain")
def test_a_strangers_text_does_not_steer_the_terminal(work: Path) -> None:
    """On a real terminal a policy's escapes are shown, not obeyed, in a reason and in an error."""
    reason = _DENIED.replace("reason: blocked", 'reason: "\\e[2J\\u202e\\nx"')
    seen = on_a_terminal(*_SIMULATE, "--config", policy(work, reason), NO_COLOR="1")
    event = policy(work, 'version: "2.0"\nhooks:\n  "\\e[2J": []\n', "b.key")

    assert "decision: deny (\\x1b[2J\\u202e\\nx)" in seen
    assert "\x1b" not in seen
    assert "\x1b" not in on_a_terminal("genesis", "validate", event)
    assert "\x1b" not in on_a_terminal("hooks", "list", "--config", event)


def wait_for(file: Path, seconds: float = 90) -> None:
    """Wait until another process has written a file."""
    end = time.monotonic() + seconds
    while not file.exists():
        assert time.monotonic() < end, f"{file} was never written"
        time.sleep(0.01)


@contextmanager
def held(pipe: Path) -> Iterator[Callable[[], bool]]:
    """A named pipe, and a way to ask whether all who held its other end are gone."""
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield lambda: bool(select.select([end], [], [], 90)[0]) and os.read(end, 1) == b""
    finally:
        os.close(end)


@pytest.mark.parametrize("batch", [False, True], ids=["one call", "batch"])
def test_an_interrupt_ends_the_hook_under_way(work: Path, batch: bool) -> None:
    """Ctrl-C is exit 130 without a traceback, and the hook's processes are gone."""
    command = f"exec 3> {work}/held; touch {work}/begun; sleep 60; true"
    text = f"[[hooks]]\nevent = 'PreToolUse'\n[hooks.shell]\ncommand = '{command}'\n"
    (work / "calls").write_text('{"tool": "Bash"}\n' * 3)
    words = ("hooks", "simulate", "--batch", "calls") if batch else _SIMULATE
    with held(work / "held") as let_go:
        process = subprocess.Popen(
            [SCRIPT, *words, "--config", policy(work, text, "slow.toml")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(work / "begun")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)

        assert (process.returncode, out) == (130, "")
        assert "Traceback" not in err
        assert let_go()


def test_a_reader_who_leaves_is_no_mistake(work: Path) -> None:
    """A closed pipe ends the command quietly."""
    (work / "calls").write_text('{"tool": "Bash"}\n' * 20_000)
    process = subprocess.Popen(
        [SCRIPT, "hooks", "simulate", "--batch", "calls"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b'{"decision":"allow"')
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert process.wait(timeout=90) == 1
    assert said == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_not_called_our_defect(unbuffered: str) -> None:
    """What the system refuses is said in one line, with exit 2, whether Python holds output back or not."""
    full = ("/bin/sh", "-c", 'exec "$0" "$@" > /dev/full')
    typed = typed_for_real("paths", through=full, PYTHONUNBUFFERED=unbuffered)

    assert typed.code == 2
    assert "No space left on device" in typed.err
    assert typed.err.count("\n") == 1


def test_a_defect_of_ours_is_reported_so_that_it_can_be_pasted(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody foresaw has its own exit code and asks for a report, without a traceback."""
    monkeypatch.setattr("interlock.cli.setup.init.here", lambda: 1 // 0)
    typed = interlock("paths")

    assert (typed.code, typed.out) == (3, "")
    assert "internal error: ZeroDivisionError" in typed.err
    assert f"interlock {__version__}, Python " in typed.err
    assert "Traceback" not in typed.err


@pytest.mark.req("Z09")
def test_a_defect_does_not_steer_the_terminal_by_its_words(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an error quotes may be a stranger's text."""

    def fail() -> None:
        raise RuntimeError("\x1b[2J\u202e\rx")

    monkeypatch.setattr("interlock.cli.setup.init.here", fail)
    typed = interlock("paths")

    assert "internal error: RuntimeError: \\x1b[2J\\u202e\\rx (at " in typed.err
    assert all(line.isprintable() for line in typed.err.splitlines())
