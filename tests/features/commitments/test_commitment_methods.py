"""Operations on the socket: who asks is the kernel's word, and of two at once one wins."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import ME, SHIM, Home, bash, decided

from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

AGENT = Path(__file__).parents[2] / "cli" / "agent.py"
HEAD = 'version: "2.0"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / ".git").mkdir()
    return tmp_path


def ask(home: Home, project: Path, op: str, actor: str | None = ME, **payload: Any) -> dict[str, Any]:
    """One operation of a person; what is refused is an error with its code."""
    own = ("session", "mark", "environment", "email")
    more: dict[str, Any] = {name: payload.pop(name) for name in own if name in payload}
    params = {"cwd": str(project), "actor": actor, "payload": payload, **more}
    found: dict[str, Any] = request(home.places.socket, f"commitments.{op}", params, seconds=20)
    return found


def refused(home: Home, project: Path, op: str, actor: str | None = ME, **payload: Any) -> str:
    """The code of a refusal; nothing is written."""
    before = len(home.entries())
    with pytest.raises(DaemonError) as caught:
        ask(home, project, op, actor, **payload)

    assert caught.value.data is not None
    assert len(home.entries()) == before
    return str(caught.value.data["error"])


def commit(home: Home, project: Path, *tags: str, actor: str | None = ME) -> str:
    """A commitment."""
    memory = ask(home, project, "capture", actor, body="seen")["id"]
    return str(ask(home, project, "commit", actor, body="fix", source=memory, tags=list(tags))["id"])


def by_agent(home: Home, project: Path, op: str, **params: Any) -> tuple[int, str, str]:
    """The same, asked by a process whose host reports to this daemon; its session is `s-agent`."""
    given = {"cwd": str(project), **params}
    code = (
        "import json, sys; from pathlib import Path; from interlock.daemon.client import request;"
        f"place = Path('{home.places.socket}'); params = json.loads(sys.argv[1]);"
        f"print(json.dumps(request(place, 'commitments.{op}', params)))"
    )
    agent = (sys.executable, str(AGENT), str(SHIM), str(home.folder))
    command = [sys.executable, "-c", code, json.dumps(given)]
    done = subprocess.run(
        [*agent, json.dumps(command)], capture_output=True, text=True, timeout=60, check=True
    )
    ended, out, err = json.loads(done.stdout)
    return ended, out, err


@pytest.mark.req("M61")
def test_of_two_claims_at_once_one_wins(served: Home, project: Path) -> None:
    """Checking and recording are one step; the others hear who was first."""
    name = commit(served, project)

    def claim(number: int) -> str:
        try:
            ask(served, project, "claim", f"agent:{number}", commitment=name)
        except DaemonError as error:
            return str((error.data or {}).get("error"))
        return "won"

    with ThreadPoolExecutor(8) as pool:
        found = sorted(pool.map(claim, range(8)))

    assert found == ["E_ALREADY_CLAIMED"] * 7 + ["won"]
    assert len(served.entries("claim")) == 1


@pytest.mark.req("M59")
def test_everything_stands_as_before_after_a_restart(served: Home, project: Path) -> None:
    """Killed without warning; what was answered is there."""
    name = commit(served, project, "x")
    ask(served, project, "claim", "agent:x", commitment=name)
    place = {"cwd": str(project)}
    before = request(served.places.socket, "commitments.list", place)
    served.end()
    served.start()

    assert request(served.places.socket, "commitments.list", place) == before
    assert before["commitments"][0]["owner"] == "agent:x"
    assert served.broken() is None


@pytest.mark.req("M70")
def test_a_person_is_who_they_say_in_a_fixed_order(served: Home, project: Path) -> None:
    """The option, the environment, the policy, git's address, `user`."""
    served.write_policy(HEAD + "settings:\n  default_actor: human:default\n")
    said = {"environment": ME, "email": "git@example.org"}

    assert ask(served, project, "capture", "bot:opt", body="x", **said)["actor"] == "bot:opt"
    assert ask(served, project, "capture", None, body="x", **said)["actor"] == ME
    assert ask(served, project, "capture", None, body="x", email="g@x.org")["actor"] == "human:default"
    served.policy.unlink()
    assert ask(served, project, "capture", None, body="x", email="g@x.org")["actor"] == "g@x.org"
    assert ask(served, project, "capture", None, body="x")["actor"] == "user"


@pytest.mark.req("M70")
def test_an_agents_process_is_its_session_whatever_it_says(served: Home, project: Path) -> None:
    """The claim is recorded and not believed; so is a session it names."""
    served.write_policy(HEAD + "settings:\n  actors: {main: agent:executor}\n")
    name = commit(served, project)
    claim = {"actor": "human:ada", "session": "another", "payload": {"commitment": name}}
    code, out, err = by_agent(served, project, "claim", **claim)
    entry = served.entries("claim")[-1]

    assert (code, err) == (0, "")
    assert json.loads(out)["actor"] == "agent:executor"
    assert (entry.actor, entry.session_id) == ("agent:executor", "s-agent")
    assert entry.body["claimed_actor"] == "human:ada"


@pytest.mark.req("M65", "M70")
def test_an_agent_does_not_become_the_approver_by_saying_so(served: Home, project: Path) -> None:
    """Tier 3 stays for a person, though the process names one."""
    served.write_policy(HEAD + "settings:\n  tiers: {default: tier_3}\n")
    name = commit(served, project)
    ask(served, project, "claim", "agent:x", commitment=name)
    ask(served, project, "submit", "agent:x", commitment=name, summary="done")
    code, _, err = by_agent(served, project, "approve", actor="human:ada", payload={"commitment": name})

    assert code == 1
    assert "E_CONSTRAINT_VIOLATED" in err
    assert served.entries("approve") == []
    assert ask(served, project, "approve", ME, commitment=name)["commitment"]["state"] == "closed"


@pytest.mark.req("M70")
def test_what_an_agent_left_in_the_environment_makes_it_one(served: Home, project: Path) -> None:
    """A process nobody is above any more still bears the mark."""
    answer = ask(served, project, "capture", "human:ada", body="x", mark="CLAUDECODE")

    assert answer["actor"] == "agent:main"
    assert served.entries("capture")[-1].body["claimed_actor"] == "human:ada"


@pytest.mark.req("M62")
def test_a_folder_of_no_project_has_no_commitments(served: Home, project: Path) -> None:
    """Neither to write nor to read; a folder below a project belongs to it."""
    (project / "src").mkdir()
    name = commit(served, project)

    assert ask(served, project / "src", "claim", commitment=name)["workspace"] == str(project)
    for place in (Path("/"), Path("/usr"), Path("relative")):
        assert refused(served, place, "capture", body="x") == "E_NO_WORKSPACE"
        with pytest.raises(DaemonError, match="E_NO_WORKSPACE"):
            request(served.places.socket, "commitments.list", {"cwd": str(place)})


@pytest.mark.req("M73")
def test_a_broken_policy_refuses_operations(place: Home, project: Path) -> None:
    """Nobody knows what it forbids."""
    place.write_policy("version: [\n")
    place.start()

    assert refused(place, project, "capture", body="x") == "E_PERMISSION_DENIED"


def test_bad_requests_are_refused_with_a_code(served: Home, project: Path) -> None:
    """What is not a mapping, no text or no id; nothing is written."""
    for params in ({"payload": 5}, {"payload": {}, "meta": 5}, {"source_key": 5}, {"session": 5}):
        with pytest.raises(DaemonError) as caught:
            request(served.places.socket, "commitments.capture", {"cwd": str(project), **params})
        assert caught.value.data is not None
    assert refused(served, project, "claim", commitment="cmt_00000000") == "E_REF_NOT_FOUND"
    for method in ("show", "tree"):
        with pytest.raises(DaemonError, match="E_REF_NOT_FOUND"):
            request(served.places.socket, f"commitments.{method}", {"cwd": str(project), "id": "mem_0"})
    assert served.entries() == []


@pytest.mark.req("M8")
def test_events_of_a_session_carry_what_it_claimed(served: Home, project: Path) -> None:
    """From the claim on, until it ends; conditions see how it stands."""
    served.write_policy(
        HEAD
        + "settings:\n  tiers: {rules: [{tags: [hot], tier: tier_3}]}\n"
        + "hooks:\n  pre_tool_use:\n    - type: deny\n      matcher: Bash(git push *)\n"
        + "      if: commitment.requires_review == true && 'hot' in commitment.tags\n"
        + "      config: {reason: not before the review}\n"
    )
    push = bash("git push origin", cwd=str(project), session_id="s7")
    name = commit(served, project, "hot")
    assert decided(served.call(push))[0] is None
    ask(served, project, "claim", ME, commitment=name, session="s7")

    assert decided(served.call(push))[0] == "deny"
    assert decided(served.call(bash("git push origin", cwd=str(project), session_id="s8")))[0] is None
    marks = [entry.body.get("commitment_id") for entry in served.entries("decision")]
    assert marks == [None, name, None]
    ask(served, project, "release", commitment=name)
    assert decided(served.call(bash("git push origin x", cwd=str(project), session_id="s7")))[0] is None


def test_records_are_shown_with_what_is_tied_to_them(served: Home, project: Path) -> None:
    """A commitment with source, evidence, links and notes; a memory with what became of it; a tree."""
    name = commit(served, project)
    ask(served, project, "annotate", target=name, body="note")
    ask(served, project, "claim", "agent:x", commitment=name)
    ask(served, project, "submit", "agent:x", commitment=name, summary="done")
    published = ask(served, project, "publish", module="docs", path="a", source=name)["id"]
    place = {"cwd": str(project)}

    def shown(one: str) -> Any:
        return request(served.places.socket, "commitments.show", {**place, "id": one})

    found = shown(name)
    assert found["commitment"]["state"] == "closed"
    assert found["commitment"]["tier"] == "tier_2"
    assert [memory["body"] for memory in found["evidence"]] == ["done"]
    assert [note["body"] for note in found["annotations"]] == ["note"]
    assert shown(found["source"]["id"])["memory"]["state"] == "committed"
    assert shown(published)["publication"]["version"] == 1
    (root,) = request(served.places.socket, "commitments.tree", place)["tree"]
    assert root["children"][0]["id"] == name
    assert [child["how"] for child in root["children"][0]["children"]] == ["evidence"]
    wanted = {"state": "open"}
    assert request(served.places.socket, "commitments.list", {**place, **wanted})["commitments"] == []


def test_links_that_lead_around_are_drawn_once(served: Home, project: Path) -> None:
    """A ring ends, and what is linked crosswise does not grow with every way."""
    names = [commit(served, project) for _ in range(6)]
    for one in names:
        for other in names:
            if one != other:
                ask(served, project, "link", source=one, target=other)
    found = request(served.places.socket, "commitments.tree", {"cwd": str(project)})

    assert len(json.dumps(found)) < 20_000
