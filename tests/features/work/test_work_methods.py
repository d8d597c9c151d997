"""The work on the socket: what is not a request is said, who asks is the kernel's word, files come last."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import SHIM, Home

from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

AGENT = Path(__file__).parents[2] / "cli" / "agent.py"
MANY = 8


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / ".git").mkdir()
    return tmp_path.resolve()


def ask(home: Home, project: Path, method: str, **params: Any) -> Any:
    """One request of a person."""
    return request(home.places.socket, f"work.{method}", {"cwd": str(project), **params}, seconds=20)


def by_agent(home: Home, project: Path, method: str, **params: Any) -> Any:
    """The same, asked by a process whose host reports to this daemon; its session is `s-agent`."""
    code = (
        "import json, sys; from pathlib import Path; from interlock.daemon.client import request;"
        f"place = Path('{home.places.socket}'); params = json.loads(sys.argv[1]);"
        f"print(json.dumps(request(place, 'work.{method}', params)))"
    )
    command = [sys.executable, "-c", code, json.dumps({"cwd": str(project), **params})]
    agent = (sys.executable, str(AGENT), str(SHIM), str(home.folder), json.dumps(command))
    done = subprocess.run(agent, capture_output=True, text=True, timeout=60, check=True)
    _, out, err = json.loads(done.stdout)
    assert out, err
    return json.loads(out)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("effort.start", {"cwd": "relative", "task": "t", "skill": "s"}),
        ("effort.start", {"skill": "s"}),
        ("effort.start", {"task": ["t"], "skill": "s"}),
        ("effort.start", {"task": "a\0b", "skill": "s"}),
        ("effort.start", {"task": "t", "skill": "s", "metadata": [1]}),
        ("effort.finish", {"effort": "x1"}),
        ("effort.finish", {"effort": True}),
        ("effort.finish", {"effort": 1, "keywords": "cart"}),
        ("effort.show", {"effort": -1}),
        ("effort.phase", {"effort": 1, "label": 2}),
        ("log", {"effort": 1, "text": None}),
        ("session.list", {"limit": "all"}),
        ("messages", {"id": 7}),
    ],
)
def test_what_is_no_request_is_said_and_changes_nothing(
    served: Home, project: Path, method: str, params: dict[str, Any]
) -> None:
    """By a code for programs and a sentence for people; the daemon goes on."""
    with pytest.raises(DaemonError) as caught:
        ask(served, project, method, **params)

    assert caught.value.data is not None
    assert caught.value.data["error"] == "VALIDATION_ERROR"
    assert served.entries("work") == []
    assert ask(served, project, "effort.list", everywhere=True) == {"efforts": []}


@pytest.mark.req("E60")
def test_efforts_begun_at_once_have_numbers_of_their_own(served: Home, project: Path) -> None:
    """One after the other, whoever asks first."""
    with ThreadPoolExecutor(MANY) as pool:
        begun = pool.map(lambda _: ask(served, project, "effort.start", task="t", skill="fix"), range(MANY))
        found = sorted(one["effort"]["ordinal"] for one in begun)

    assert found == list(range(1, MANY + 1))
    assert served.broken() is None


@pytest.mark.req("E17")
def test_an_agent_is_who_its_hooks_say(served: Home, project: Path) -> None:
    """A name that another session has is not taken by claiming it, nor is a session by naming it."""
    ask(served, project, "effort.start", task="t", skill="fix", agent="builder")
    first = by_agent(served, project, "effort.start", task="u", skill="fix", agent_id="painter")
    named = by_agent(
        served,
        project,
        "effort.start",
        task="v",
        skill="fix",
        agent_id="builder",
        agent="builder",
        session="x",
    )

    assert first["session"]["host_session_id"] == "s-agent"
    assert named["session"]["host_session_id"] == "s-agent"
    agents = {row["agent"]: row["effort_id"] for row in ask(served, project, "agents")["agents"]}
    assert agents == {"builder": 1, "painter": named["effort"]["id"]}


@pytest.mark.req("E72")
def test_a_file_is_written_only_when_the_change_is_lasting(served: Home, project: Path) -> None:
    """What cannot be recorded leaves neither a row nor a file; later it can."""
    ask(served, project, "effort.start", task="t", skill="fix")
    log = project / "t" / "1_FIX_LOG.md"
    with closing(sqlite3.connect(served.places.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for method, params in (
            ("log", {"text": "x"}),
            ("effort.start", {"task": "new", "skill": "fix"}),
        ):
            with pytest.raises(DaemonError, match="another process has locked the database"):
                ask(served, project, method, **params)
        other.execute("ROLLBACK")

    assert not log.exists()
    assert not (project / "new").exists()
    assert len(ask(served, project, "effort.list")["efforts"]) == 1
    assert ask(served, project, "log", text="x")["path"] == str(log)
    assert log.exists()
