"""Starting the server: what it needs, and what other commands are spared."""

from __future__ import annotations

import runpy
import subprocess
import sys

import pytest

from interlock.cli.setup.mcp_sdk import require_sdk
from interlock.errors import InterlockError

pytestmark = pytest.mark.deep


def test_a_missing_sdk_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, whoever starts it."""
    monkeypatch.setitem(sys.modules, "mcp", None)

    with pytest.raises(InterlockError, match=r"run `pip install 'interlock\[mcp\]'`"):
        require_sdk()


def test_no_other_command_loads_the_sdk() -> None:
    """It takes most of a second."""
    code = (
        "import sys, interlock.cli.app; interlock.cli.app.make_app(); import interlock.daemon.process;"
        "print({'mcp', 'mcp_types', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_the_command_serves_too() -> None:
    """Nothing asked, nothing said."""
    done = subprocess.run(
        [sys.executable, "-c", "from interlock.cli.main import main; main()", "mcp"],
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_is_missing_is_an_exit_code_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that the client shows a failure, and not a server that ended well."""
    monkeypatch.setitem(sys.modules, "mcp", None)

    with pytest.raises(SystemExit) as ended:
        runpy.run_module("interlock.mcp_server", run_name="__main__")
    assert ended.value.code == 2
    assert "the MCP SDK is not installed" in capsys.readouterr().err
