"""Gates that go on: what is asked is never stuck, a yes is about what was there, a no is heard."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import PATIENCE, Home, bash, decided, event, wait_for
from tests.features.commitments.test_commitment_methods import ask
from tests.features.gates.test_gates import ACTOR, ME, approve, claim, policy, push, state, stop

from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

WEEK = 7 * 86_400
ADA = "ada@example.org"  # whom git knows at this login; nobody approves their own


def git(project: Path, *words: str) -> None:
    """Work on the repository as an agent or a person does."""
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    own = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", project, *own, *words], check=True, capture_output=True, env=environ)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with work that is not committed yet."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.py").write_text("x = 1\n")
    (folder / ".gitignore").write_text("build/\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / "a.py").write_text("x = 2\n")
    return folder


@pytest.fixture
def gated(served: Home) -> Home:
    """A daemon with the gate."""
    served.write_policy(policy())
    return served


@pytest.fixture
def hasty(served: Home) -> Home:
    """The same, where a question is soon over."""
    served.write_policy(policy().replace("settings:\n", "settings:\n  approval: {expires: 1s}\n"))
    return served


def asked(home: Home) -> list[dict[str, Any]]:
    """Every request there is."""
    found = request(home.places.socket, "approvals.list", {"all": True})
    return [dict(row) for row in found["approvals"]]


def states(home: Home) -> list[str]:
    return [row["state"] for row in asked(home)]


def expired(home: Home, number: int) -> None:
    """Wait until nobody can answer a request any more."""
    wait_for(lambda: asked(home)[number - 1]["state"] == "expired", f"ap_{number} is over")


def end_time(home: Home) -> None:
    """Let the time of every open request be over now, however long the next step takes."""
    with closing(sqlite3.connect(home.places.database, timeout=PATIENCE)) as connection, connection:
        connection.execute("UPDATE approvals SET expires_at = requested_at WHERE state = 'pending'")


def prompted(home: Home, project: Path, **fields: Any) -> str:
    """What the agent is told beside a prompt."""
    reply = home.call(event("UserPromptSubmit", prompt="go on", cwd=str(project), **fields))
    found = json.loads(reply.stdout) if reply.stdout else {}
    return str(found.get("hookSpecificOutput", {}).get("additionalContext", ""))


def denied(home: Home, name: str, note: str) -> None:
    """A person says no."""
    (found,) = request(home.places.socket, "approvals.deny", {"ids": [name], "note": note})["results"]
    assert found["state"] == "denied"


@pytest.mark.req("M19", "M65")
def test_what_a_person_hands_in_is_asked_about(gated: Home, project: Path) -> None:
    """No turn ends there, so the submission asks; the question lives a week, and after the yes it closes."""
    memory = ask(gated, project, "capture", ADA, body="seen")["id"]
    name = str(ask(gated, project, "commit", ADA, body="fix it", source=memory, tags=["risky"])["id"])
    ask(gated, project, "claim", ADA, commitment=name)
    answer = ask(gated, project, "submit", ADA, commitment=name, summary="done")

    assert answer["approvals"] == ["ap_1"]
    (row,) = asked(gated)
    assert (row["state"], row["actor"]) == ("pending", ADA)
    assert f"commitment {name}: fix it" in row["summary"]
    assert approve(gated, "ap_1")["state"] == "approved"
    ask(gated, project, "close", ADA, commitment=name, evidence=memory)
    assert state(gated, project, name) == "closed"
    assert seconds_between(row["requested_at"], row["expires_at"]) == WEEK


def seconds_between(first: str, second: str) -> float:
    """Between two times as they are stored."""
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()


@pytest.mark.req("M19")
def test_a_question_that_is_over_is_asked_again_by_the_next_push(hasty: Home, project: Path) -> None:
    """The agent need not end its turn first, and hears why there is another."""
    name = claim(hasty, project, "risky")
    stop(hasty, project)
    expired(hasty, 1)
    vote, reason = push(hasty, project)

    assert vote == "deny"
    assert f"{name} needs approval by {ME} first (nobody answered ap_1 in time)" in reason
    assert [row["id"] for row in asked(hasty)] == ["ap_1", "ap_2"]


@pytest.mark.req("M19")
def test_a_question_that_is_over_is_asked_again_by_the_answer(hasty: Home, project: Path) -> None:
    """Whoever says yes too late says it to the same question asked anew, also after the policy changed."""
    claim(hasty, project, "risky")
    stop(hasty, project)
    expired(hasty, 1)
    answer = approve(hasty, "ap_1")

    assert (answer["state"], answer["asked_anew"]) == ("approved", "ap_2")
    assert push(hasty, project) == (None, "")
    assert "replaced by ap_2" in approve(hasty, "ap_1")["error"]
    hasty.write_policy(policy())
    other = claim(hasty, project, "risky", session="other")
    stop(hasty, project, session_id="other")
    hasty.write_policy(policy() + "# changed\n")
    assert approve(hasty, "ap_3")["asked_anew"] == "ap_4"
    assert push(hasty, project, session_id="other") == (None, "")
    assert state(hasty, project, other) == "in_review"


@pytest.mark.req("M19")
def test_a_question_that_is_over_is_asked_again_by_submit_approve_and_close(
    gated: Home, project: Path
) -> None:
    """Each says which request it waits for now; of an open one there is never a second."""
    name = claim(gated, project, "risky")
    ask(gated, project, "submit", ACTOR, commitment=name, summary="done")
    for number, op in enumerate(("approve", "close"), 2):
        end_time(gated)
        expired(gated, number - 1)
        for _ in range(2):
            more = {"evidence": ask(gated, project, "capture", body="x")["id"]} if op == "close" else {}
            with pytest.raises(DaemonError, match=f"needs approval ap_{number} first"):
                ask(gated, project, op, commitment=name, **more)
    end_time(gated)
    expired(gated, 3)
    ask(gated, project, "claim", ACTOR, commitment=name)
    assert ask(gated, project, "submit", ACTOR, commitment=name, summary="again")["approvals"] == ["ap_4"]


@pytest.mark.req("M19")
def test_a_yes_is_about_the_content_there_was(gated: Home, project: Path) -> None:
    """Committing exactly that changes nothing, nor do ignored files; another change makes it stale."""
    name = claim(gated, project, "risky")
    stop(gated, project)
    (project / "a.py").write_text("x = 3\n")  # before the yes: the person is told
    shown = request(gated.places.socket, "approvals.show", {"id": "ap_1"})["shown"]
    assert "warning: changed since the request: a.py" in shown
    approve(gated, "ap_1")

    (project / "build").mkdir()
    (project / "build" / "out").write_text("made")
    assert push(gated, project) == (None, "")
    git(project, "commit", "-qam", "the work")
    assert push(gated, project) == (None, "")
    assert "decision" not in stop(gated, project)
    assert states(gated) == ["approved"]

    (project / "a.py").write_text("x = 4\n")
    memory = ask(gated, project, "capture", body="proof")["id"]
    stale = f"a.py changed since {ME} approved it \\(ap_1\\)"
    with pytest.raises(DaemonError, match=stale):
        ask(gated, project, "close", ACTOR, commitment=name, evidence=memory)
    vote, reason = push(gated, project)
    assert (vote, "`interlock approve ap_2`" in reason) == ("deny", True)
    git(project, "commit", "-qam", "more")
    assert push(gated, project)[0] == "deny"
    approve(gated, "ap_2")
    assert push(gated, project) == (None, "")
    ask(gated, project, "close", ACTOR, commitment=name, evidence=memory)


@pytest.mark.req("M19")
def test_the_end_of_a_turn_asks_about_changed_content(gated: Home, project: Path) -> None:
    """And a push in between: who approved what, and which file is another now, stands in the reason."""
    claim(gated, project, "risky")
    stop(gated, project)
    approve(gated, "ap_1")
    (project / "new.py").write_text("y\n")
    told = stop(gated, project)["systemMessage"]
    assert f"needs approval ap_2 by {ME}" in told
    assert f"new.py changed since {ME} approved it (ap_1)" in told
    approve(gated, "ap_2")
    (project / "new.py").unlink()
    vote, reason = push(gated, project)
    assert vote == "deny"
    assert f"needs approval by {ME} first (new.py changed since {ME} approved it (ap_2))" in reason


@pytest.mark.req("M19", "M65")
def test_what_was_sent_back_is_in_review_again_after_the_next_turn(gated: Home, project: Path) -> None:
    """Its owner goes on without claiming it anew, and the yes then is about a submission."""
    name = claim(gated, project, "risky")
    stop(gated, project)
    ask(gated, project, "reject", ME, commitment=name, reason="no tests yet")
    vote, reason = push(gated, project)
    assert vote == "deny", reason
    assert f"{ME} denied ap_1 for {name}: no tests yet. Fix it" in reason, reason
    assert state(gated, project, name) == "reopened"

    told = stop(gated, project, last_assistant_message="Added tests.")["systemMessage"]
    assert (f"{name} needs approval ap_2 by {ME}" in told, "it is still" in told) == (True, False)
    assert state(gated, project, name) == "in_review"
    assert gated.entries("capture")[-1].body["body"] == "Added tests."


@pytest.mark.req("M19", "M65")
def test_sending_work_back_is_a_no_to_what_was_asked_about_it(gated: Home, project: Path) -> None:
    """Whoever does it, also over a yes: no question is left open, and the agent hears why."""
    name = claim(gated, project, "risky")
    stop(gated, project)
    approve(gated, "ap_1")
    assert push(gated, project) == (None, "")
    auditor = {"session": "of-an-auditor", "commitment": name, "reason": "one case is missing"}
    ask(gated, project, "reject", "agent:auditor", **auditor)

    assert states(gated) == ["denied"]
    last = gated.entries("approval")[-1].body
    assert (last["state"], last["by"], last["note"]) == ("revoked", "agent:auditor", "one case is missing")
    assert prompted(gated, project).endswith(": one case is missing")
    assert ": one case is missing" in push(gated, project)[1]


@pytest.mark.req("M19")
def test_the_note_of_a_no_reaches_the_agent(gated: Home, project: Path) -> None:
    """At the call that is refused; else at the next prompt; else before the turn ends, once."""
    claim(gated, project, "risky")
    stop(gated, project)
    denied(gated, "ap_1", "no tests")
    assert "denied ap_" in (reason := push(gated, project)[1])
    assert "no tests" in reason
    assert prompted(gated, project) == ""
    assert f"ap_1 was denied by {ME}: no tests" in stop(gated, project)["systemMessage"]

    denied(gated, "ap_2", "still no tests")
    assert f"{ME} denied ap_2" in (context := prompted(gated, project))
    assert context.endswith(": still no tests")
    assert prompted(gated, project) == ""
    assert "approval ap_3" in stop(gated, project)["systemMessage"]

    denied(gated, "ap_3", "one is missing")
    told = stop(gated, project)
    assert (told["decision"], "ap_3" in told["reason"], "one is missing" in told["reason"]) == (
        "block",
        True,
        True,
    )
    assert "approval ap_4" in stop(gated, project)["systemMessage"]


def test_the_note_of_a_refused_call_reaches_the_agent(served: Home, project: Path) -> None:
    """What waits for a yes to a call is told in the same three places."""
    served.write_policy('version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: ask, matcher: Bash(make *)}\n')
    call = bash("make all", cwd=str(project))
    assert "ap_1" in decided(served.call(call))[1]
    denied(served, "ap_1", "not on a Friday")
    assert "denied this (ap_" in (reason := decided(served.call(call))[1])
    assert "not on a Friday" in reason
    assert prompted(served, project) == ""

    served.call(bash("make more", cwd=str(project)))
    denied(served, "ap_2", "nor this")
    assert "make more" in (context := prompted(served, project))
    assert context.endswith(": nor this")
    served.call(bash("make most", cwd=str(project)))
    denied(served, "ap_3", "never")
    told = stop(served, project)
    assert (told["decision"], "never" in told["reason"]) == ("block", True)
    assert stop(served, project) == {}


@pytest.mark.req("M19")
def test_the_shim_tells_a_stale_yes_and_a_refusal(gated: Home, project: Path) -> None:
    """What a host is handed: the reason of a call, and the context of a prompt."""
    gated.write_launch()
    claim(gated, project, "risky")
    gated.shim(event("Stop", stop_hook_active=False, cwd=str(project)))
    approve(gated, "ap_1")
    call = bash("git push origin main", cwd=str(project))
    assert gated.shim(call).stdout == b""
    (project / "a.py").write_text("x = 5\n")
    assert f"a.py changed since {ME} approved it (ap_1)" in gated.shim(call).stdout.decode()
    denied(gated, "ap_2", "not this")
    prompt = event("UserPromptSubmit", prompt="go on", cwd=str(project))
    assert "not this" in gated.shim(prompt).stdout.decode()
