"""Whether a person can answer the host's own prompt."""

from __future__ import annotations

import pytest
from tests.hosts.claude_code.recorded import HOST, read

from interlock.hosts.claude_code.read import attended


@pytest.mark.req("F06")
@pytest.mark.parametrize(
    ("entrypoint", "mode", "somebody"),
    [
        ("cli", "default", True),
        ("cli", "acceptEdits", True),
        ("cli", "plan", True),
        ("cli", "auto", False),
        ("cli", "dontAsk", False),
        ("cli", "bypassPermissions", False),
        ("cli", None, False),
        ("cli", "brand-new", False),
        ("sdk-cli", "default", False),
        ("sdk-py", "default", False),
        (None, "default", False),
    ],
)
def test_only_a_terminal_in_an_asking_mode_is_attended(
    entrypoint: str | None, mode: str | None, somebody: bool
) -> None:
    """Headless runs, modes that answer by themselves, and anything unknown count as nobody."""
    env = {"CLAUDE_CODE_ENTRYPOINT": entrypoint} if entrypoint else {}
    event = read("PreToolUse-Bash.json", env, permission_mode=mode)

    assert attended(event) is somebody
    assert HOST.attended(event) is somebody
