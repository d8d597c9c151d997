"""Laws of people's answers, through the whole daemon: who may give one, and to exactly what."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import msgspec
import pytest
from tests.daemon.approvers import AGENT, ME, answer, ask, policy, refusals, states, told, yes
from tests.daemon.home import SHIM, Home, bash, decided, event, wait_for

from interlock.daemon.client import DaemonError, request
from interlock.files.passphrase import hash_passphrase

pytestmark = pytest.mark.deep


@pytest.mark.req("Z04", "F06")
def test_a_request_is_answered_over_the_socket_and_used_once(asking: Home) -> None:
    """Denied with a ticket, approved, passed, asked anew; four entries beside the decisions."""
    first = ask(asking, "t1")
    done = yes(asking, "ap_1", note="go")
    second, third = ask(asking, "t2"), ask(asking, "t3")

    assert (first[0], second, third[0]) == ("deny", (None, ""), "deny")
    assert done == [{"id": "ap_1", "by": ME, "state": "approved", "grant": None}]
    actor = "agent:main"
    assert told(asking) == [
        ("ap_1", "requested", actor),
        ("ap_1", "approved", ME),
        ("ap_1", "used", actor),
        ("ap_2", "requested", actor),
    ]
    (requested, approved) = asking.entries("approval")[:2]
    assert requested.body["call"]["input"] == {"command": "git push origin"}
    assert requested.body["reason"] == "ready?"
    assert requested.body["decided_by"] == "push"
    assert approved.body["note"] == "go"
    assert asking.broken() is None


@pytest.mark.req("Z04")
def test_two_at_once_do_not_share_a_yes(asking: Home) -> None:
    """Of ten calls that arrive together after one yes, exactly one passes."""
    ask(asking, "t0")
    yes(asking, "ap_1")
    found: list[str | None] = []

    def one(number: int) -> None:
        found.append(ask(asking, f"u{number}")[0])

    threads = [threading.Thread(target=one, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(map(str, found)) == ["None"] + ["deny"] * 9
    assert [state for _, state, _ in told(asking)].count("used") == 1


@pytest.mark.req("Z11")
def test_yes_and_no_together_leave_one_answer_and_it_is_no(asking: Home) -> None:
    """In whichever order they arrive, the call does not pass; tried ten times."""
    for number in range(1, 11):
        ask(asking, f"t{number}", f"git push {number}")
        name = f"ap_{number}"
        threads = [
            threading.Thread(target=answer, args=(asking, method, name))
            for method in ("approvals.approve", "approvals.deny")
        ]
        for thread in threads[:: 1 if number % 2 else -1]:
            thread.start()
        for thread in threads:
            thread.join()
        assert ask(asking, f"u{number}", f"git push {number}")[0] == "deny"

    assert states(asking) == ["denied"] * 10


@pytest.mark.req("Z02")
def test_an_agents_process_cannot_answer_on_the_socket(asking: Home) -> None:
    """Not by the command, which is refused before, and not by speaking to the daemon itself."""
    ask(asking, "t1")
    code = (
        "import sys; from pathlib import Path; from interlock.daemon.client import request\n"
        "params = {'ids': ['ap_1'], 'peer_pid': 1, 'by': 'human:x'}\n"
        "print(request(Path(sys.argv[1]), 'approvals.approve', params))"
    )
    command = [sys.executable, "-c", code, str(asking.places.socket)]
    agent = [sys.executable, str(AGENT), str(SHIM), str(asking.folder), json.dumps(command)]
    done = subprocess.run(agent, capture_output=True, text=True, timeout=60, check=True)
    status, _, err = json.loads(done.stdout)
    (refused,) = refusals(asking)

    assert status == 1
    assert "this process belongs to an agent" in err
    assert states(asking) == ["pending"]
    assert refused.body["command"] == "approvals.approve"
    assert refused.body["session_id"] == "s-agent"
    assert "ap_1" in str(refused.body["approval"])


@pytest.mark.req("Z02")
def test_a_connection_whose_process_has_gone_is_nobodys(asking: Home) -> None:
    """A child connects, hands the connection to its parent and ends: the kernel names one nobody can ask."""
    ask(asking, "t1")
    code = (
        "import os, socket, sys\n"
        "near, far = socket.socketpair()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    peer = socket.socket(socket.AF_UNIX)\n"
        "    peer.connect(sys.argv[1])\n"
        "    socket.send_fds(far, [b'x'], [peer.fileno()])\n"
        "    os._exit(0)\n"
        "peer = socket.socket(fileno=socket.recv_fds(near, 1, 1)[1][0])\n"
        "os.waitpid(child, 0)\n"
        'peer.sendall(b\'{"jsonrpc":"2.0","id":1,"method":"approvals.approve","params":{"ids":["ap_1"]}}\\n\')\n'
        "print(peer.recv(65536).decode())"
    )
    command = [sys.executable, "-c", code, str(asking.places.socket)]
    agent = [sys.executable, str(AGENT), str(SHIM), str(asking.folder), json.dumps(command)]
    done = subprocess.run(agent, capture_output=True, text=True, timeout=60, check=True)
    _, out, err = json.loads(done.stdout)

    assert "only a person may call `approvals.approve`" in out, err
    assert states(asking) == ["pending"]


@pytest.mark.req("Z03")
@pytest.mark.parametrize(
    ("approvers", "command", "why"),
    [
        pytest.param(
            '{human:nobody-here: "*"}', "git push x", "is not one of the policy's approvers", id="not named"
        ),
        pytest.param(
            "{ME: ['Bash(git push safe*)']}", "git push x", "and this call is something else", id="outside"
        ),
        pytest.param("{}", "deploy now", "only human:somebody-else can", id="named by the hook"),
    ],
)
def test_an_approver_without_the_right_scope_is_refused_and_recorded(
    asking: Home, approvers: str, command: str, why: str
) -> None:
    """With who and why; the request still waits."""
    asking.write_policy(policy(approvers.replace("ME", ME)))
    ask(asking, "t1", command)
    (refused,) = yes(asking, "ap_1")
    entry = refusals(asking)[0].body

    assert why in refused["error"]
    assert why in str(entry["reason"])
    assert (entry["by"], entry["approval"]) == (ME, "ap_1")
    assert states(asking) == ["pending"]
    assert ask(asking, "t2", command)[0] == "deny"


@pytest.mark.req("Z03")
def test_an_approver_inside_the_scope_is_heard(asking: Home) -> None:
    """The control of the above."""
    asking.write_policy(policy("{ME: ['Bash(git push safe*)']}".replace("ME", ME)))
    ask(asking, "t1", "git push safe")

    assert yes(asking, "ap_1")[0]["state"] == "approved"
    assert ask(asking, "t2", "git push safe") == (None, "")


@pytest.mark.req("Z03")
def test_a_named_approver_is_needed_even_where_the_host_could_ask(asking: Home) -> None:
    """Whoever sits at the host need not be the one who is named: a ticket is opened."""
    payload = bash("deploy now", permission_mode="default")
    verdict, reason = decided(asking.call(payload, CLAUDE_CODE_ENTRYPOINT="cli"))

    assert verdict == "deny"
    assert "ask human:somebody-else to run `interlock approve ap_1`" in reason


@pytest.mark.req("Z08")
def test_who_a_payload_claims_to_be_changes_nothing(asking: Home) -> None:
    """A call that says a person makes it, or that it is approved, is an agent's with a claim on record."""
    claims: dict[str, Any] = {"actor": ME, "user": ME, "approved": True, "approval": "ap_1", "human": True}
    first = ask(asking, "t1", **claims)
    (entry,) = asking.entries("decision")

    assert first[0] == "deny"
    assert entry.actor == "agent:main"
    assert entry.body["extra"]["actor"] == ME
    assert told(asking) == [("ap_1", "requested", "agent:main")]


@pytest.mark.req("Z08")
def test_a_session_cannot_be_borrowed_for_a_yes(asking: Home) -> None:
    """What a request on the socket says about itself is not believed."""
    ask(asking, "t1")
    (done,) = yes(asking, "ap_1", by="human:somebody-else", actor="human:root2", peer_pid=1)

    assert done["by"] == ME


@pytest.mark.req("Z04")
def test_a_question_asked_under_another_policy_takes_no_yes(asking: Home) -> None:
    """The answer says to let the agent try again."""
    ask(asking, "t1")
    asking.write_policy(policy().replace("ready?", "really ready?"))
    (refused,) = yes(asking, "ap_1")

    assert "the policy changed after ap_1 was opened" in refused["error"]


def test_several_are_answered_each_on_its_own(asking: Home) -> None:
    """One that cannot be answered does not keep the others."""
    ask(asking, "t1", "git push 1")
    ask(asking, "t2", "git push 2")
    done = yes(asking, "ap_1", "ap_9", "ap_2")

    assert ["error" in one for one in done] == [False, True, False]
    assert states(asking) == ["approved", "approved"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ids": []},
        {"ids": "ap_1"},
        {"ids": [1]},
        {"ids": ["ap_1"], "grant": 7},
        {"ids": ["ap_1"], "note": 1},
    ],
)
def test_a_request_that_is_none_is_answered_and_nothing_changes(asking: Home, params: dict[str, Any]) -> None:
    """Wrong parameters are an error of the request, never of the daemon."""
    ask(asking, "t1")
    with pytest.raises(DaemonError):
        request(asking.places.socket, "approvals.approve", params)

    assert states(asking) == ["pending"]


@pytest.mark.req("Z04", "D01")
def test_an_answer_survives_a_kill(asking: Home) -> None:
    """What was said to a person is on the disk: the next daemon uses it, once."""
    ask(asking, "t1")
    yes(asking, "ap_1")
    asking.end()
    asking.start()

    assert ask(asking, "t2") == (None, "")
    assert ask(asking, "t3")[0] == "deny"
    assert asking.broken() is None


@pytest.mark.req("M45")
def test_watchers_are_told_which_request_a_call_waits_for(asking: Home) -> None:
    """A decision that became a ticket names it."""
    with asking.connected() as peer:
        peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n')
        lines = peer.makefile("rb")
        lines.readline()
        ask(asking, "t1")
        note = json.loads(lines.readline())

    assert note["params"]["approval"] == "ap_1"
    assert note["params"]["decision"] == "deny"


def told_by_host(home: Home) -> list[tuple[object, ...]]:
    """What the ledger infers of the host's own prompt."""
    found = [entry.body for entry in home.entries("approval") if entry.body.get("inferred")]
    return [(body["tool_use_id"], body["state"], body["by"]) for body in found]


def test_what_the_hosts_prompt_decided_is_inferred_from_what_follows(asking: Home) -> None:
    """A call that ran was approved there; one that did not by the end of the turn was not run."""
    for use_id in ("a1", "a2"):
        payload = bash("git push origin", tool_use_id=use_id, permission_mode="default")
        assert decided(asking.call(payload, CLAUDE_CODE_ENTRYPOINT="cli"))[0] == "ask"
    ran = event("PostToolUse", tool_name="Bash", tool_input={"command": "git push origin"}, tool_use_id="a1")
    asking.call(ran)
    asking.call(event("Stop", stop_hook_active=False))
    wait_for(lambda: len(told_by_host(asking)) > 1, "both are inferred")

    assert told_by_host(asking) == [("a1", "approved", "host prompt"), ("a2", "not run", "host prompt")]


@pytest.mark.req("Z02")
def test_a_passphrase_is_asked_for_by_the_daemon_itself(asking: Home) -> None:
    """A process that left its agent and speaks to the socket is stopped by it, and that is recorded."""
    secret = "correct horse battery"
    (asking.places.state / "passphrase").write_bytes(msgspec.json.encode(hash_passphrase(secret)))
    ask(asking, "t1")
    with pytest.raises(DaemonError, match="a passphrase is set"):
        yes(asking, "ap_1")
    refused = refusals(asking)

    assert states(asking) == ["pending"]
    assert [entry.body["approval"] for entry in refused] == ["['ap_1']"]
    assert yes(asking, "ap_1", passphrase=secret)[0]["state"] == "approved"
    assert secret not in str([entry.body for entry in asking.entries()])
