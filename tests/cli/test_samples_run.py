"""The documents' use cases, really run through `hooks simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import SAMPLES, Interlock, policy
from tests.handlers.endpoint import Endpoint

pytestmark = pytest.mark.deep


def sample(name: str) -> str:
    """A sample's path, as it would be typed."""
    return str(SAMPLES / name)


@pytest.mark.req("C67")
@pytest.mark.parametrize("command", ["rm -rf /", "sudo rm x", ":(){:|:&};:"])
def test_the_validating_hook_rejects_dangerous_commands(interlock: Interlock, command: str) -> None:
    """The first use case reads the context on its standard input and answers with a reason."""
    words = ("--tool", "Bash", "--args", command, "--config", sample("cocode-validate-bash.toml"))
    typed = interlock("hooks", "simulate", *words)

    assert typed.first == "decision: deny (Dangerous command blocked)"


@pytest.mark.req("C67")
def test_the_validating_hook_lets_others_continue(interlock: Interlock) -> None:
    """Its `"Continue"` is not an objection, and it is not asked about other tools."""
    words = ("--config", sample("cocode-validate-bash.toml"), "--json")
    bash = interlock("hooks", "simulate", "--tool", "Bash", "--args", "git status", *words).document
    read = interlock("hooks", "simulate", "--tool", "Read", "--args", "rm -rf /", *words).document

    assert (bash["decision"], bash["votes"][0]["outcome"]) == ("allow", "success")
    assert (read["decision"], read["votes"][0]["outcome"]) == ("allow", "skipped")


@pytest.mark.req("C68")
def test_the_logging_hook_appends_a_dated_line_for_each_edit(interlock: Interlock, home: Path) -> None:
    """The second use case writes to a log in the home, and only about `Edit`."""
    (home / ".cocode").mkdir()
    words = ("--args", "a.py", "--event", "PostToolUse", "--config", sample("cocode-log-edits.toml"))
    for tool in ("Edit", "Write", "Edit"):
        assert interlock("hooks", "simulate", "--tool", tool, *words).first == "decision: allow"
    lines = (home / ".cocode" / "edits.log").read_text().splitlines()

    assert len(lines) == 2
    assert all(line.endswith(": File edited - Edit") and line[0] != ":" for line in lines)


@pytest.mark.req("C69")
def test_the_notifying_hook_posts_once_a_session(
    interlock: Interlock, work: Path, endpoint: Endpoint
) -> None:
    """The third use case, with the address of a real server: one POST for each session's first start."""
    text = (SAMPLES / "cocode-session-notify.toml").read_text()
    file = policy(work, text.replace("https://hooks.slack.com/services/xxx", endpoint.url), "notify.toml")
    starts = b"".join(b'{"event": "SessionStart", "session": "%s"}\n' % name for name in (b"a", b"a", b"b"))
    typed = interlock("hooks", "simulate", "--batch", "-", "--config", file, stdin=starts)

    assert [row["votes"][0]["outcome"] for row in typed.documents] == ["success", "skipped", "success"]
    assert [request.method for request in endpoint.requests] == ["POST", "POST"]
    assert [request.document["session_id"] for request in endpoint.requests] == ["a", "b"]


@pytest.mark.req("C70")
def test_the_session_log_gets_one_line_a_session(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration sample's shell hook writes once, however often the session says it starts."""
    monkeypatch.setenv("HOOK_API_KEY", "k")
    (home / ".cocode").mkdir()
    start = json.dumps({"event": "SessionStart"}).encode() + b"\n"
    typed = interlock(
        "hooks", "simulate", "--batch", "-", "--config", sample("cocode-hooks.toml"), stdin=start * 3
    )

    assert typed.code == 0
    assert (home / ".cocode" / "session.log").read_text() == "Session started\n"
