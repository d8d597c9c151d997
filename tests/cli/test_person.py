"""Commands that open or change the gate are for people: an agent's process tree is refused, and recorded."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT, Interlock, Typed
from tests.daemon.home import SHIM, Home, wait_for

from interlock.cli.people_only import AGENT_MARKS, MARKS
from interlock.daemon.caller_kind import FILE, Roster, namespaces, write_roster
from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

AGENT = Path(__file__).with_name("agent.py")
POLICY = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: deny, matcher: Bash(rm *)}\n'
PERSON = {"standing": "person", "agent": False, "session": None, "why": "", "people": []}
GUARDED = (
    ("trust", "--yes"),
    ("untrust",),
    ("uninstall", "claude-code"),
    ("install", "claude-code"),
    ("daemon", "stop"),
    ("daemon", "restart"),
    ("daemon", "install-service"),
    ("init",),
    ("init", "x.key", "--force"),
    ("ledger", "list"),
    ("approvals", "list"),
    ("grants", "list"),
    ("receipts", "list"),
    ("tail", "-n", "1"),
    ("log",),
    ("show", "17"),
    ("setup", "--yes"),
    ("ui",),
    ("pause", "15m"),
    ("passphrase", "human:ann"),
    ("replay",),
    ("suggest",),
    ("trust-score",),
    ("session", "cancel", "--all"),
    ("session", "resume", "--all"),
    ("session", "cancelled"),
    ("fleet", "tmux"),
    ("daemon", "run"),
)
FREE = (
    ("--version",),
    ("paths",),
    ("trust", "--show"),
    ("install", "claude-code", "--dry-run"),
    ("uninstall", "claude-code", "--dry-run"),
    ("daemon", "status"),
    ("daemon", "install-service", "--dry-run"),
    ("hooks", "list"),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a policy that nobody has trusted yet."""
    (tmp_path / ".interlock").mkdir()
    (tmp_path / ".interlock" / "genesis.key").write_text(POLICY)
    return tmp_path


def typed(home: Home, project: Path, *words: str, through: tuple[str, ...] = (), **env: str) -> Typed:
    """Type a command in a home, perhaps as the agent there."""
    environ = {**os.environ, "INTERLOCK_HOME": str(home.folder), **env}
    command: list[str] = [SCRIPT, *words]
    if through:
        command = [*through, json.dumps(command)]
    done = subprocess.run(
        command, env=environ, cwd=project, capture_output=True, text=True, timeout=60, check=False
    )
    if not through or done.returncode:
        return Typed(done.returncode, done.stdout, done.stderr)
    return Typed(*json.loads(done.stdout))


def by_agent(home: Home, project: Path, *words: str) -> Typed:
    """The same, run by a process whose hooks ask this home's daemon; its environment says nothing."""
    return typed(home, project, *words, through=(sys.executable, str(AGENT), str(SHIM), str(home.folder)))


@pytest.mark.req("Z02", "T05")
@pytest.mark.parametrize("words", GUARDED, ids=" ".join)
def test_an_agents_process_is_refused_and_that_is_recorded(
    served: Home, project: Path, words: tuple[str, ...]
) -> None:
    """The kernel says whose child it is; nothing happens, and the ledger has the attempt."""
    refused = by_agent(served, project, *words)
    wait_for(lambda: served.entries("refused"), "the refusal is recorded")
    entry = served.entries("refused")[-1]

    assert refused.code == 2
    assert "is for people" in refused.err
    assert refused.err.count("\n") == 1
    assert entry.body["session_id"] == "s-agent"
    assert str(entry.body["command"]).split()[0] == words[0]
    assert served.status() is not None
    assert not (served.folder / "state" / "trust").exists()


def test_the_threat_model_names_each_command_that_asks() -> None:
    """Those below one that is named stand for themselves only where the one does not ask."""
    root = Path(__file__).resolve().parents[2]
    code = "".join(file.read_text("utf-8") for file in (root / "src/interlock").rglob("*.py"))
    page = (root / "docs/threat-model.md").read_text("utf-8")
    said = page.partition("who started them: ")[2].partition("There are three answers")[0]
    named = set(re.findall(r"`([^`]+)`", said))
    asking = set(re.findall(r'require_person\(\s*"([^"]+)"', code))

    assert {name for name in asking if name.split()[0] not in named} == {
        name for name in named if " " in name
    }
    assert named <= asking | {"approvals", "ledger"}
    assert {name.split()[0] for name in asking} == {words[0] for words in GUARDED} | {"import"}


@pytest.mark.req("Z02")
@pytest.mark.parametrize("words", FREE, ids=" ".join)
def test_what_changes_nothing_is_free_for_agents(served: Home, project: Path, words: tuple[str, ...]) -> None:
    """Looking is allowed, and leaves no entry."""
    assert by_agent(served, project, *words).code == 0
    assert served.entries("refused") == []


@pytest.mark.req("Z02")
def test_a_person_beside_the_agent_is_not_taken_for_it(served: Home, project: Path) -> None:
    """The control: the same command, in the same home, from a process that no agent started."""
    by_agent(served, project, "paths")
    trusted = typed(served, project, "trust", "--yes")

    assert (trusted.code, trusted.err) == (0, "")
    assert list((served.folder / "state" / "trust").iterdir())


@pytest.mark.req("Z02", "T05")
def test_without_a_daemon_it_is_still_known_who_is_an_agent(served: Home, project: Path) -> None:
    """Killing the daemon opens nothing: what it knew lies in its state folder, for its owner only."""
    script = project / "script.sh"
    script.write_text(f"kill -9 $(cat {served.places.lock}); sleep 0.2; exec {SCRIPT} trust --yes\n")
    agent = (sys.executable, str(AGENT), str(SHIM), str(served.folder), json.dumps(["sh", str(script)]))
    environ = {**os.environ, "INTERLOCK_HOME": str(served.folder)}
    done = subprocess.run(
        agent, env=environ, cwd=project, capture_output=True, text=True, timeout=60, check=True
    )
    code, _, err = json.loads(done.stdout)

    assert code == 2
    assert "started by an agent (session `s-agent`)" in err
    assert (served.places.state / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.req("Z02", "T05")
def test_a_daemon_an_agent_starts_finds_its_programs_where_the_installed_one_does(
    served: Home, project: Path
) -> None:
    """PATH decides which program a hook is: a person chooses it, by `install` or by starting the daemon."""
    launch = served.folder / "launch"
    lines = launch.read_text().splitlines()
    launch.write_text("\n".join([*lines[:4], "env PATH=/bin", *lines[4:], ""]))
    script = project / "script.sh"
    script.write_text(
        f"kill -9 $(cat {served.places.lock}); PATH={project}:$PATH exec {SCRIPT} daemon start\n"
    )
    agent = (sys.executable, str(AGENT), str(SHIM), str(served.folder), json.dumps(["sh", str(script)]))
    environ = {**os.environ, "INTERLOCK_HOME": str(served.folder)}
    subprocess.run(agent, env=environ, cwd=project, capture_output=True, timeout=60, check=True)
    by_the_agent = served.status()
    restarted = typed(served, project, "daemon", "restart", PATH=f"{project}:/bin")
    by_a_person = served.status()

    assert by_the_agent is not None
    assert by_a_person is not None
    assert by_the_agent["path"] == "/bin"
    assert restarted.code == 0
    assert by_a_person["path"] == f"{project}:/bin"


@pytest.mark.req("Z02")
def test_the_daemon_itself_refuses_to_be_stopped_by_an_agent(served: Home, project: Path) -> None:
    """The socket is no way around the command line."""
    code = (
        "import sys; from pathlib import Path; from interlock.daemon.client import request;"
        f"request(Path('{served.places.socket}'), 'stop', {{'peer_pid': 1}})"
    )
    agent = (sys.executable, str(AGENT), str(SHIM), str(served.folder))
    done = subprocess.run(
        [*agent, json.dumps([sys.executable, "-c", code])],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    ended, _, err = json.loads(done.stdout)

    assert ended == 1
    assert "only a person may stop the daemon" in err
    assert served.status() is not None
    assert request(served.places.socket, "stop")["stopping"] is True


@pytest.mark.req("Z02")
@pytest.mark.parametrize("mark", MARKS)
def test_what_agents_leave_in_the_environment_is_a_sign(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """Also for a process nobody is above any more, and without any daemon."""
    monkeypatch.setenv(mark, "1")
    refused = interlock("daemon", "stop")

    assert refused.code == 2
    assert f"`{mark}` shows that an agent started this" in refused.err


def test_an_empty_mark_is_none(interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set to nothing says nothing."""
    monkeypatch.setenv("CLAUDECODE", "")

    assert interlock("daemon", "stop").code == 0


@pytest.mark.req("Z02")
def test_a_process_that_left_its_parents_keeps_the_mark(place: Home, project: Path) -> None:
    """A new session and a dead parent do not wash the environment."""
    out = project / "out"
    command = f"setsid sh -c 'sleep 0.2; {SCRIPT} trust --yes 2> {out}.half; mv {out}.half {out}' &"
    environ = {**os.environ, "INTERLOCK_HOME": str(place.folder), "CLAUDECODE": "1"}
    subprocess.run(["sh", "-c", command], env=environ, cwd=project, check=True, timeout=60)
    wait_for(out.exists, "the command has ended")

    assert "CLAUDECODE" in out.read_text()
    assert not (place.folder / "state" / "trust").exists()


def test_the_shim_knows_the_same_marks() -> None:
    """What the command line takes for a sign, the pause in C does too."""
    source = Path(__file__).resolve().parents[2] / "shim" / "pause.h"
    listed = source.read_text("utf-8").partition("agent_marks[] = {")[2].partition("};")[0]

    assert {word.strip().strip('"') for word in listed.split(",") if word.strip()} == set(MARKS)
    assert len(set(MARKS)) == len(MARKS)
    assert all(AGENT_MARKS.values())


def test_another_processes_number_in_the_request_counts_for_nothing(served: Home) -> None:
    """The daemon asks the kernel, not the request."""
    claimed = request(served.places.socket, "person.check", {"peer_pid": os.getppid()})

    assert claimed == PERSON
    with pytest.raises(DaemonError, match="command"):
        request(served.places.socket, "person.refused", {})


@pytest.mark.req("Z02")
def test_the_self_test_makes_nobody_an_agent(served: Home, project: Path) -> None:
    """A person who runs the doctor stays a person."""
    event = {
        "session_id": "d",
        "hook_event_name": "PreToolUse",
        "tool_name": "InterlockSelfTest",
        "cwd": "/usr",
    }
    served.shim(json.dumps({**event, "tool_input": {}}).encode(), CLAUDE_PROJECT_DIR="/usr")

    assert not (served.places.state / FILE).exists()
    assert typed(served, project, "daemon", "stop").code == 0


def test_a_number_used_again_is_another_process(served: Home) -> None:
    """A remembered host counts only as long as it lives."""
    known = {os.getpid(): ("another/1", "old")}
    write_roster(served.places.state / FILE, Roster(known=known, namespaces=namespaces()))
    served.end()
    served.start()

    assert request(served.places.socket, "person.check") == PERSON
    os.kill(served.started[-1].pid, signal.SIGTERM)
