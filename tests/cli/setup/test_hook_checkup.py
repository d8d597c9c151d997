"""The doctor names hooks that failed and plugins that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.daemon.home import Home, wait_for
from tests.policy.plugin_site import GREETER, install

from interlock.cli.setup.doctor_checks import check_plugins
from interlock.hosts.host import State
from interlock.policy import plugins
from interlock.search.counts import recent_calls
from interlock.store.database import open_to_read

pytestmark = pytest.mark.deep

POLICY = """
version: "2.0"
hooks:
  post_tool_use:
    - {name: broken, type: command, config: {command: exit 3}}
"""


def test_failures_are_counted_by_hook(place: Home) -> None:
    """Each run without an answer counts; a session goes on meanwhile."""
    place.write_policy(POLICY)
    place.start()
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}}
    for number in range(3):
        event = {"session_id": "s", "cwd": "/", "hook_event_name": "PostToolUse", "tool_use_id": f"t{number}"}
        assert place.shim(json.dumps({**event, **call}).encode()).returncode == 0
    wait_for(lambda: len(place.entries("decision")) == 3, "all three are recorded")
    connection = open_to_read(place.places.database)
    (found,) = recent_calls(connection, since="").failures
    connection.close()

    assert (found.hook, found.type, found.count) == ("broken", "command", 3)
    assert found.reason


@pytest.mark.req("P34")
def test_a_built_in_that_raises_breaks_no_session_and_the_doctor_says_so(
    place: Home, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the real shim the event passes; the doctor names the hook, its type and what it met."""
    (place.folder / "file").write_text("")
    entry = f"{{name: diary, type: flow_report, config: {{folder: {place.folder}/file/below}}}}"
    place.write_policy(f'version: "2.0"\nhooks: {{session_end: [{entry}]}}\n')
    place.start()
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    event = {"session_id": "s", "cwd": "/", "hook_event_name": "SessionEnd", "reason": "other"}
    done = place.shim(json.dumps(event).encode())
    wait_for(lambda: place.entries("decision"), "the end is recorded")
    checks = interlock("doctor", "--json").document["checks"]
    (found,) = [one for one in checks if one["what"] == "hooks"]

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert found["state"] == "warn"
    assert found["detail"].startswith("`diary` (flow_report) failed once")
    assert "Error" in found["detail"]


def test_a_plugin_that_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken, clashing with ours, or offered twice; the sound one is named, too."""
    site = tmp_path / "site"
    install(site, "acme-hooks", "acme_sound", GREETER, "acme.greet")
    install(site, "bad-hooks", "acme_broken", "import nowhere_at_all", "acme.broken")
    install(site, "sly-hooks", "acme_sly", GREETER, "deny", "redirect")
    monkeypatch.setattr(plugins, "site_folders", lambda: [str(site)])
    monkeypatch.syspath_prepend(str(site))
    checks = list(check_plugins())
    told = {check.detail: check.state for check in checks}

    assert told["acme.greet of acme-hooks"] is State.OK
    assert sum(state is State.WARN for state in told.values()) == 3
    assert any("nowhere_at_all" in detail and "`bad-hooks` 1.0" in detail for detail in told)
    assert any("offers `deny`, which is a built-in type" in detail for detail in told)
    assert any("offers `redirect`, which is a built-in type" in detail for detail in told)
