"""The example of a feature, installed as a stranger would, used through the real program and daemon."""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import pytest
from tests.daemon.home import remove

pytestmark = pytest.mark.deep

EXAMPLE: Final = Path(__file__).resolve().parents[2] / "examples" / "freeze_feature"
MAIN: Final = "import sys; from interlock.cli.main import main; sys.exit(main())"
HOOKS: Final = """
hooks:
  pre_tool_use:
    - {type: acme.freeze, matcher: "Bash(git push *)"}
"""
NAMED: Final = "settings: {features: [acme_freeze], acme_freeze: {reason: It is release week.}}" + HOOKS
PLAIN: Final = 'hooks: {pre_tool_use: [{type: deny, matcher: "Bash(rm *)", config: {reason: never}}]}'
_calls = count()


@dataclass(frozen=True, kw_only=True)
class Machine:
    """An environment in which Interlock and the example are installed, and a home."""

    python: Path
    home: Path

    def write_policy(self, text: str) -> None:
        """Give the user a policy."""
        folder = self.home / "config"
        folder.mkdir(exist_ok=True)
        (folder / "half").write_text(f'version: "2.0"\n{text}')
        (folder / "half").replace(folder / "genesis.key")

    def run(self, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """Type a command."""
        return subprocess.run(
            [self.python, "-c", MAIN, *words],
            env={"PATH": os.defpath, "HOME": str(self.home), "INTERLOCK_HOME": str(self.home)},
            cwd="/usr",
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def push(self) -> str:
        """What an agent hears that wants to push; nothing where it may."""
        event = {
            "hook_event_name": "PreToolUse",
            "session_id": "s",
            "cwd": "/usr",
            "tool_name": "Bash",
            "tool_input": {"command": "git push origin main"},
            "tool_use_id": f"t{next(_calls)}",
        }
        done = self.run("hook", "claude-code", text=json.dumps(event))
        if not done.stdout:
            return ""
        answer: dict[str, str] = json.loads(done.stdout)["hookSpecificOutput"]
        return answer["permissionDecisionReason"]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own; without a network, what Interlock needs comes from ours."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    found = folder / "bin" / "python"
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "ours.pth").write_text(
        "".join(f"import site; site.addsitedir({path!r})\n" for path in site.getsitepackages())
    )
    source = folder / "source"  # a build writes beside what it builds
    shutil.copytree(EXAMPLE, source)
    pip = [sys.executable, "-m", "pip", "--python", str(found), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--no-index", str(source)], check=True)
    return found


@pytest.fixture
def machine(python: Path) -> Iterator[Machine]:
    """One with an empty home, whose path is short because a socket's must be."""
    home = Path(tempfile.mkdtemp(prefix="il"))
    found = Machine(python=python, home=home)
    yield found
    found.run("daemon", "stop")
    remove(home)


def test_its_own_test_passes(python: Path, tmp_path: Path) -> None:
    """Run as its author would."""
    folder = tmp_path / "freeze"
    shutil.copytree(EXAMPLE, folder)
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_every_part_of_it_works(machine: Machine) -> None:
    """Its settings, hook, service, command, check, page and endpoint are like ours."""
    machine.write_policy(NAMED)

    assert machine.push() == ""
    assert machine.run("freeze", "on").stdout == "the freeze is on\n"
    assert machine.push() == "Tool denied: It is release week."
    assert machine.run("freeze").stdout == "the freeze is on\n"

    listed = json.loads(machine.run("hooks", "catalog", "--json").stdout)["hooks"]
    assert {"type": "acme.freeze", "origin": "acme-freeze"}.items() <= listed[0].items()
    checks = json.loads(machine.run("doctor", "--json").stdout)["checks"]
    told = [(check["what"], check["detail"]) for check in checks if check["what"] in {"feature", "freeze"}]
    assert told == [("feature", "acme_freeze of acme-freeze"), ("freeze", "a code freeze is on")]
    assert {"acme_freeze", "features"} <= settings_in(machine.run("schema").stdout)

    opened = json.loads(machine.run("rpc", "ui.open").stdout)
    address, _, token = opened["url"].partition("/login?token=")
    with httpx.Client(base_url=address, headers={"origin": address}, timeout=90, trust_env=False) as browser:
        browser.post("/login", data={"token": token})
        assert browser.get("/api/v1/freeze").json() == {"on": True}
        assert "/api/v1/freeze" in browser.get("/api/v1/openapi.json").json()["paths"]
        page = browser.get("/freeze").text
        assert "The code freeze is on." in page
        (csrf,) = re.findall(r'name="csrf" value="([^"]+)">\s*<input type="hidden" name="on"', page)
        browser.post("/freeze/switch", data={"csrf": csrf, "on": "no"})
    assert machine.run("freeze").stdout == "the freeze is off\n"
    assert machine.push() == ""


def settings_in(schema: str) -> set[str]:
    """The keys below `settings`."""
    return set(json.loads(schema)["$defs"]["Settings"]["properties"])


def test_what_no_policy_names_is_not_there(machine: Machine) -> None:
    """It is installed; that alone gives it no command, no key and no hook."""
    machine.write_policy(PLAIN)

    assert "has no command `freeze`" in machine.run("freeze").stderr
    machine.write_policy("settings: {acme_freeze: {reason: x}}")
    assert "unknown setting `acme_freeze`" in machine.run("hooks", "list").stderr


def test_a_daemon_makes_way_for_one_that_has_it(machine: Machine) -> None:
    """Naming a feature is enough; nobody has to restart anything."""
    machine.write_policy(PLAIN)
    assert machine.push() == ""
    machine.write_policy(NAMED)
    machine.push()

    assert machine.run("freeze", "on").stdout == "the freeze is on\n"
    assert machine.push() == "Tool denied: It is release week."


def test_one_that_is_missing_stops_calls_with_the_next_step(machine: Machine) -> None:
    """A policy that cannot be read whole protects nothing, so nothing passes."""
    machine.write_policy("settings: {features: [acme_fire], acme_fire: {hot: true}}" + HOOKS)
    heard = machine.push()

    assert "settings.features[0]: no feature `acme_fire` is installed; install the distribution" in heard
    assert "acme_fire: {hot" not in heard


def test_one_that_does_not_start_stops_calls(machine: Machine) -> None:
    """Its service fails, so the daemon goes on and no policy that names it does."""
    machine.write_policy(NAMED)
    (machine.home / "state").mkdir(mode=0o700)
    (packages,) = machine.python.parents[1].glob("lib/python*/site-packages")
    broken = packages / "acme_freeze" / "service.py"
    text = broken.read_text()
    broken.write_text(
        text.replace("self._note: Final", "raise OSError('no room')\n        self._note: Final")
    )
    try:
        heard = machine.push()
    finally:
        broken.write_text(text)

    assert (
        "`service:FreezeService` of the feature `acme_freeze` of `acme-freeze` failed (OSError: no room)"
        in heard
    )
