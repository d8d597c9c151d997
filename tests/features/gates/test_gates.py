"""Gates in a real daemon: work that waits for a person, and what waits with it."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event
from tests.features.commitments.test_commitment_methods import ask, refused

from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

ME = f"human:{pwd.getpwuid(os.getuid()).pw_name}"
SAMPLE = Path(__file__).parents[2] / "samples" / "mentu-genesis.key"
ACTOR = "agent:executor"


def policy(*, condition: str | None = "commitment.requires_review == true", more: str = "") -> str:
    """A gate that asks whoever runs this test."""
    written = f"condition: {json.dumps(condition)}, " if condition else ""
    return (
        'version: "2.0"\n'
        "settings:\n  actors: {main: agent:executor}\n"
        "  tiers: {rules: [{tags: [risky], tier: tier_3}]}\n"
        f"hooks:\n  stop:\n    - type: approval_gate\n      config: {{{written}approvers: [{ME}]{more}}}\n"
    )


@pytest.fixture
def gated(served: Home) -> Home:
    """A daemon with the gate."""
    served.write_policy(policy())
    return served


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / ".git").mkdir()
    return tmp_path


def claim(home: Home, project: Path, *tags: str, session: str = "s") -> str:
    """A commitment the agent's session is at work on."""
    memory = ask(home, project, "capture", body="seen")["id"]
    name = str(ask(home, project, "commit", body="fix it", source=memory, tags=list(tags))["id"])
    ask(home, project, "claim", ACTOR, commitment=name, session=session)
    return name


def stop(home: Home, project: Path, **fields: Any) -> dict[str, Any]:
    """End a turn; what the host is told."""
    given: dict[str, Any] = {"stop_hook_active": False, "cwd": str(project), **fields}
    reply = home.call(event("Stop", **given))
    found: dict[str, Any] = json.loads(reply.stdout) if reply.stdout else {}
    return found


def push(home: Home, project: Path, command: str = "git push origin main", **fields: Any) -> tuple[Any, str]:
    """What is decided about a push."""
    return decided(home.call(bash(command, cwd=str(project), **fields)))


def state(home: Home, project: Path, name: str) -> str:
    """How a commitment stands."""
    found = request(home.places.socket, "commitments.show", {"cwd": str(project), "id": name})
    return str(found["commitment"]["state"])


def approve(home: Home, name: str, method: str = "approvals.approve") -> dict[str, Any]:
    """A person answers."""
    (found,) = request(home.places.socket, method, {"ids": [name]})["results"]
    return dict(found)


@pytest.mark.req("M5", "M19", "M65")
def test_work_that_needs_review_waits_for_its_approver(gated: Home, project: Path) -> None:
    """The turn ends, the commitment is in review, close and push are denied; after a yes both pass."""
    name = claim(gated, project, "risky")
    told = stop(gated, project, last_assistant_message="All is done.")

    assert "decision" not in told
    assert f"{name} needs approval ap_1 by {ME}" in told["systemMessage"]
    assert state(gated, project, name) == "in_review"
    vote, reason = push(gated, project)
    assert (vote, f"Ask {ME} to run `interlock approve ap_1`" in reason) == ("deny", True)
    memory = ask(gated, project, "capture", body="proof")["id"]
    closing = {"commitment": name, "evidence": memory}
    assert refused(gated, project, "close", ACTOR, **closing) == "E_PERMISSION_DENIED"
    assert refused(gated, project, "close", ME, **closing) == "E_CONSTRAINT_VIOLATED"
    assert refused(gated, project, "approve", ME, commitment=name) == "E_CONSTRAINT_VIOLATED"

    assert approve(gated, "ap_1")["state"] == "approved"
    assert push(gated, project) == (None, "")
    (row,) = [r for r in gated.entries("decision")[-1].body["trace"] if r["type"] == "approval_gate"]
    assert (row["vote"], row["reason"]) == ("allow", f"approved by {ME} (ap_1)")
    assert "decision" not in stop(gated, project)
    ask(gated, project, "close", ACTOR, commitment=name, evidence=memory)
    assert state(gated, project, name) == "closed"
    assert [e.body["state"] for e in gated.entries("approval")] == ["requested", "approved"]


@pytest.mark.req("M19")
def test_what_the_condition_does_not_mean_is_free(gated: Home, project: Path) -> None:
    """Another tier, and a session that has claimed nothing; nobody is asked."""
    assert push(gated, project) == (None, "")
    assert stop(gated, project) == {}
    claim(gated, project, "easy")
    assert push(gated, project) == (None, "")
    assert stop(gated, project) == {}
    assert gated.entries("approval") == []


@pytest.mark.req("M19")
def test_the_order_of_things_is_no_way_around_the_gate(gated: Home, project: Path) -> None:
    """Pushed before the turn ends, closed before it, released, or from another session: all wait."""
    name = claim(gated, project, "risky")
    vote, reason = push(gated, project)
    assert (vote, "End your turn to ask for it" in reason) == ("deny", True)
    memory = ask(gated, project, "capture", body="proof")["id"]
    assert (
        refused(gated, project, "close", ACTOR, commitment=name, evidence=memory) == "E_CONSTRAINT_VIOLATED"
    )
    stop(gated, project)

    for command in ("sh -c 'git push'", "cd sub && /usr/bin/git push -f", "git -C . push"):
        assert push(gated, project, command)[0] == "deny"
    ask(gated, project, "release", ACTOR, commitment=name)
    assert push(gated, project)[0] == "deny"
    ask(gated, project, "claim", ACTOR, commitment=name, session="other")
    assert push(gated, project, session_id="other")[0] == "deny"


@pytest.mark.req("M19")
def test_a_condition_that_ceases_to_hold_does_not_open_the_gate(served: Home, project: Path) -> None:
    """Once asked, the work waits for its yes, though asking itself changed what the condition looks at."""
    served.write_policy(policy(condition='commitment.state == "claimed"'))
    claim(served, project)
    stop(served, project)

    assert push(served, project)[0] == "deny"
    approve(served, "ap_1")
    assert push(served, project) == (None, "")


def test_a_condition_that_cannot_be_evaluated_means_the_gate(served: Home, project: Path) -> None:
    """A judge whose condition errs applies; without a commitment the session's work is what waits."""
    served.write_policy(policy(condition="commitment.tags.size() > 2"))

    assert push(served, project)[0] == "deny"
    assert "this session's work" in stop(served, project)["systemMessage"]
    approve(served, "ap_1")
    assert push(served, project) == (None, "")
    assert push(served, project, session_id="another")[0] == "deny"


def test_a_no_is_told_and_the_next_turn_asks_again(gated: Home, project: Path) -> None:
    """The agent hears who refused and mends it; work that was sent back needs a new yes."""
    name = claim(gated, project, "risky")
    stop(gated, project)
    approve(gated, "ap_1", "approvals.deny")
    vote, reason = push(gated, project)

    assert (vote, f"{ME} denied ap_1" in reason) == ("deny", True)
    assert "`interlock approve ap_2`" in stop(gated, project)["systemMessage"]
    assert stop(gated, project) == {}
    approve(gated, "ap_2")
    assert push(gated, project) == (None, "")
    ask(gated, project, "reject", ME, commitment=name, reason="no tests")
    ask(gated, project, "claim", ACTOR, commitment=name, session="s")
    assert push(gated, project)[0] == "deny"
    assert "approval ap_3" in stop(gated, project)["systemMessage"]


def test_a_changed_policy_asks_anew_and_a_restart_does_not(gated: Home, project: Path) -> None:
    """A request under an old policy could not be answered any more; a yes holds under a new one."""
    claim(gated, project, "risky")
    stop(gated, project)
    gated.end()
    gated.start()
    assert stop(gated, project) == {}
    gated.write_policy(policy() + "# changed\n")
    assert "`interlock approve ap_2`" in stop(gated, project)["systemMessage"]

    assert "replaced by ap_2" in approve(gated, "ap_1")["error"]
    approve(gated, "ap_2")
    gated.write_policy(policy() + "# changed again\n")
    assert push(gated, project) == (None, "")


def test_only_the_named_approver_may_say_yes(served: Home, project: Path) -> None:
    """Nor does the yes of somebody who is not an approver any more count."""
    other = policy().replace(ME, "human:rashid")
    served.write_policy(other)
    claim(served, project, "risky")
    stop(served, project)

    assert "only human:rashid can" in approve(served, "ap_1")["error"]
    assert push(served, project)[0] == "deny"


def test_what_else_is_guarded_is_the_policys_to_say(served: Home, project: Path) -> None:
    """Any patterns, or none."""
    served.write_policy(policy(more=', guards: ["Bash(npm publish *)", "mcp__shop__order"]'))
    claim(served, project, "risky")
    stop(served, project)

    assert push(served, project) == (None, "")
    assert push(served, project, "npm publish")[0] == "deny"
    order = event(tool_name="mcp__shop__order", tool_input={}, cwd=str(project))
    assert decided(served.call(order))[0] == "deny"


@pytest.mark.req("M60", "M66")
def test_a_gate_holds_a_submission_that_would_close_itself(served: Home, project: Path) -> None:
    """Tier 2 closes at once by its own rule, but not past somebody who is to look at it."""
    served.write_policy(policy(condition='"easy" in commitment.tags'))
    name = claim(served, project, "easy")
    ask(served, project, "submit", ACTOR, commitment=name, summary="done")

    assert state(served, project, name) == "in_review"


def test_what_a_person_reads_is_the_commitment(gated: Home, project: Path) -> None:
    """The request shows what is asked, who is asked, and what waits."""
    name = claim(gated, project, "risky")
    stop(gated, project)
    found = request(gated.places.socket, "approvals.show", {"id": "ap_1"})

    shown = "\n".join(found["shown"])
    assert f"commitment {name}: fix it" in shown
    assert "tags: risky" in shown
    assert "no Bash(git push *)" in shown


def test_a_yes_can_be_taken_back(gated: Home, project: Path) -> None:
    """A no wins, also over a yes that others passed by."""
    claim(gated, project, "risky")
    stop(gated, project)
    approve(gated, "ap_1")
    assert push(gated, project) == (None, "")
    assert approve(gated, "ap_1", "approvals.deny")["state"] == "denied"
    assert push(gated, project)[0] == "deny"


def test_a_gate_in_shadow_changes_nothing(served: Home, project: Path) -> None:
    """No request, no review, no refusal; the record says what would have been."""
    served.write_policy(policy().replace("      config:", "      mode: shadow\n      config:"))
    name = claim(served, project, "risky")

    assert stop(served, project) == {}
    assert push(served, project) == (None, "")
    assert served.entries("approval") == []
    assert state(served, project, name) == "claimed"
    (row,) = served.entries("decision")[-1].body["trace"]
    assert (row["shadow"], row["vote"]) == (True, "ask")


@pytest.mark.req("M20", "M84")
def test_the_worked_trace_holds_in_the_daemon(served: Home, project: Path) -> None:
    """Enforcement allows a git command, the deny hook is skipped, the call's evidence is in the ledger."""
    served.write_policy(SAMPLE.read_text() + "settings:\n  actors: {main: agent:executor}\n")
    call: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "git commit -m 'fix'"},
        "tool_use_id": "t1",
    }
    before = served.call(event(cwd=str(project), **call))
    served.call(event("PostToolUse", cwd=str(project), tool_response={"stdout": "ok"}, **call))
    served.call(event("Stop", cwd=str(project), stop_hook_active=False))
    first, second, _ = served.entries("decision")
    (kept,) = served.entries("evidence")

    assert decided(before) == (None, "")
    (row,) = first.body["trace"]
    assert (row["type"], row["matcher"], row["vote"]) == ("genesis_enforcement", "*", "allow")
    assert "Bash(git *)" in row["reason"]
    assert first.body["skipped"] == ["pre_tool_use[1]:deny", "pre_tool_use[2]:deny"]
    assert (first.actor, second.body["event"]) == (ACTOR, "PostToolUse")
    assert (kept.body["kind"], kept.body["hook"]) == (
        "command_execution",
        "post_tool_use[1]:evidence_capture",
    )
    assert served.broken() is None


def test_a_gate_on_everything_is_a_mistake(served: Home, project: Path) -> None:
    """It would deny the very calls the work is done with."""
    served.write_policy(policy(more=', guards: ["*"]'))
    reply = decided(served.call(bash("ls", cwd=str(project))))

    assert reply[0] == "deny"
    assert "guards every call" in reply[1]
    with pytest.raises(DaemonError):
        request(served.places.socket, "commitments.close", {"cwd": str(project), "payload": {}})
