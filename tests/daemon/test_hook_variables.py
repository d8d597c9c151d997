"""A person's variables reach the hooks that name them, through the real daemon, and nothing else."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import run

import pytest
from tests.daemon.home import Home, decided, event
from tests.handlers.endpoint import Endpoint, serving

pytestmark = pytest.mark.deep

TYPED = "import sys; from interlock.cli.main import main; sys.exit(main())"
KEY = "k1-9f8e7d6c5b4a"
POLICY = """[[hooks]]
event = "{event}"

[hooks.webhook]
url = "{url}"
allow_private = true
headers = {{ Authorization = "Bearer ${{HOOK_API_KEY}}" }}
"""


def interlock(place: Home, *arguments: str, **variables: str) -> tuple[int, str]:
    """What a person's command in this home says."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(place.folder), "INTERLOCK_HOME": str(place.folder)}
    command = [sys.executable, "-I", "-c", TYPED, *arguments]
    done = run(
        command, env={**environ, **variables}, cwd=place.folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def policy(place: Home, event: str, url: str) -> None:
    """A webhook that wants a key."""
    place.places.user_config.mkdir(parents=True, exist_ok=True)
    (place.places.user_config / "hooks.toml").write_text(POLICY.format(event=event, url=url))


def call(event: str, use: str = "first") -> bytes:
    """A shell call that is about to be made or was made."""
    fields = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": use, "cwd": "/usr"}
    return json.dumps(
        {"session_id": "s1", "hook_event_name": event, "transcript_path": "/t", **fields}
    ).encode()


@pytest.mark.req("C57")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_header_is_filled_from_the_shell_that_started_the_daemon(person: Home, event: str) -> None:
    """Also where the daemon is started anew by the next call; the value is in no record."""
    with serving(Endpoint(body=json.dumps({"Reject": {"reason": f"no {KEY}"}}).encode())) as endpoint:
        policy(person, event, endpoint.url)
        code, said = interlock(person, "daemon", "start", HOOK_API_KEY=KEY)
        assert (code, KEY in said) == (0, False)
        person.shim(call(event))
        interlock(person, "daemon", "stop")
        person.shim(call(event, "second"))
        interlock(person, "daemon", "stop")

    assert [one.headers["Authorization"] for one in endpoint.requests] == [f"Bearer {KEY}"] * 2
    kept = person.places.state / "hook-environment.json"
    for file in person.places.state.rglob("*"):
        assert file == kept or file.is_dir() or KEY.encode() not in file.read_bytes(), file


def test_a_variable_that_is_missing_is_named_before_any_call_needs_it(person: Home, tmp_path: Path) -> None:
    """By the start, by `validate` and by the doctor; a later start with it mends all three."""
    policy(person, "PreToolUse", "http://127.0.0.1:1/")
    file = str(person.places.user_config / "hooks.toml")
    needed = "needs the variable `HOOK_API_KEY`, which is not set"

    assert needed in interlock(person, "daemon", "start")[1]
    assert needed in interlock(person, "genesis", "validate", file)[1]
    assert "needs `HOOK_API_KEY`, and the daemon does not have it" in interlock(person, "doctor")[1]
    assert needed not in interlock(person, "daemon", "start", HOOK_API_KEY=KEY)[1]
    assert needed not in interlock(person, "genesis", "validate", file)[1]
    assert "the daemon does not have it" not in interlock(person, "doctor")[1]
    interlock(person, "daemon", "stop")


def test_an_agent_gives_hooks_nothing(person: Home) -> None:
    """What it sets for its own processes is not what a person set."""
    policy(person, "PreToolUse", "http://127.0.0.1:1/")
    interlock(person, "daemon", "start", HOOK_API_KEY=KEY, CLAUDECODE="1")
    interlock(person, "daemon", "stop")

    assert not (person.places.state / "hook-environment.json").exists()


def test_a_projects_hooks_get_what_was_shown_when_it_was_trusted(person: Home) -> None:
    """The names are part of what a person agrees to."""
    project = person.folder / "shop"
    (project / ".interlock").mkdir(parents=True)
    (project / ".interlock" / "genesis.key").write_text(
        'version: "2.0"\n'
        'hooks: {stop: [{type: command, pass_env: [SHOP_TOKEN], config: {command: "true"}}]}\n'
    )
    _, shown = interlock(person, "trust", str(project), "--show")
    interlock(person, "trust", str(project), "--yes", SHOP_TOKEN=KEY, OTHER="x" * 20)

    assert "variables its hooks would get:\n  SHOP_TOKEN" in shown
    kept = person.places.state / "hook-environment.json"
    assert json.loads(kept.read_bytes()) == {"SHOP_TOKEN": KEY}

    file = project / ".interlock" / "genesis.key"
    file.write_text(file.read_text().replace("SHOP_TOKEN", "SHOP_TOKEN, OTHER"))
    interlock(person, "daemon", "start", OTHER="x" * 20)
    interlock(person, "daemon", "stop")
    assert json.loads(kept.read_bytes()) == {"SHOP_TOKEN": KEY}  # what was accepted, and no more


def test_a_command_gets_what_it_names_and_no_agent_reads_the_file(person: Home, tmp_path: Path) -> None:
    """Neither a shell nor a tool that reads or writes files."""
    named = "{command: 'echo \"$TOKEN$OTHER\" > got'}"
    person.write_policy(
        f'version: "2.0"\nhooks: {{stop: [{{type: command, pass_env: [TOKEN], config: {named}}}]}}\n'
    )
    interlock(person, "daemon", "start", TOKEN=KEY, OTHER="x" * 20)
    kept = str(person.places.state / "hook-environment.json")
    for tool, given in (
        ("Bash", {"command": f"cat {kept}"}),
        ("Bash", {"command": f"cp {kept} /tmp/x"}),
        ("Read", {"file_path": kept}),
        ("Write", {"file_path": kept, "content": "{}"}),
    ):
        assert decided(person.shim(event(tool_name=tool, tool_input=given)))[0] == "deny", (tool, given)
    person.shim(event("Stop", cwd=str(tmp_path)))
    interlock(person, "daemon", "stop")

    assert (tmp_path / "got").read_text() == f"{KEY}\n"


def test_an_installation_keeps_them_too(person: Home) -> None:
    """For its own user alone, and without a word about the value."""
    policy(person, "PreToolUse", "http://127.0.0.1:1/")
    code, said = interlock(person, "install", "claude-code", HOOK_API_KEY=KEY, OTHER="x" * 20)
    kept = person.places.state / "hook-environment.json"

    assert (code, KEY in said) == (0, False)
    assert json.loads(kept.read_bytes()) == {"HOOK_API_KEY": KEY}
    assert kept.stat().st_mode & 0o777 == 0o600
