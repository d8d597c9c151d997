"""Laws of a daemon that is absent, starting, hung or gone, and of what passes meanwhile."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.daemon.home import PATIENCE, Home, bash, decided, event, wait_for

from interlock.daemon.paths import FileLock
from interlock.daemon.protocol import Call, encode_call

pytestmark = pytest.mark.deep

SLOW = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: slow, type: command, config: {command: "sleep 0.5; exit 2"}}
"""
AFTER = event("PostToolUse", tool_name="Bash", tool_input={})


def served_pids(place: Home) -> list[str]:
    """Every daemon that ever listened in this home, by its own log."""
    return re.findall(r"serves .*, pid (\d+)", place.places.log.read_text())


@pytest.mark.req("D12")
def test_ten_calls_at_once_start_one_daemon(place: Home) -> None:
    """Nobody is running: all ten are answered, by the same process."""
    with ThreadPoolExecutor(10) as pool:
        done = list(pool.map(lambda n: decided(place.shim(bash("ls", tool_use_id=str(n)))), range(10)))
    found = place.status()

    assert done == [(None, "")] * 10
    assert found is not None
    assert served_pids(place) == [str(found["pid"])]
    assert place.places.lock.read_text().strip() == str(found["pid"])
    assert len(place.entries("decision")) == 10


@pytest.mark.req("D12")
def test_a_call_waits_for_a_daemon_that_somebody_is_starting(place: Home) -> None:
    """While the start lock is held nobody starts a second one, and the call is answered in the end."""
    place.places.run.mkdir(mode=0o700)
    lock = FileLock(place.places.start_lock)
    assert lock.take()
    answers: list[object] = []
    calling = threading.Thread(target=lambda: answers.append(decided(place.shim(bash("ls")))))
    calling.start()
    time.sleep(0.3)
    before = (list(answers), place.places.log.exists())
    place.start()
    calling.join(PATIENCE)
    lock.release()

    assert before == ([], False)
    assert answers == [(None, "")]
    assert len(served_pids(place)) == 1


def test_a_changed_policy_counts_while_a_slow_hook_still_runs(place: Home) -> None:
    """The next call is judged by the new files, whatever else is under way."""
    begun, go = place.folder / "begun", place.folder / "go"
    command = f"touch {begun}; while [ ! -e {go} ]; do sleep 0.05; done"
    wait = f'type: command, matcher: "Bash(make)", timeout: {PATIENCE}, config: {{command: "{command}"}}'
    policy = f'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {{name: slow, {wait}}}\n'
    place.write_policy(policy)
    place.start()
    answers: list[tuple[str | None, str]] = []
    slow = threading.Thread(target=lambda: answers.append(decided(place.call(bash("make", tool_use_id="1")))))
    slow.start()
    wait_for(begun.exists, "the slow hook runs")
    place.write_policy(f'{policy}    - {{name: no-push, type: deny, matcher: "Bash(git push *)"}}\n')
    pushed, _ = decided(place.call(bash("git push origin", tool_use_id="2")))
    is_waiting = not answers
    go.touch()
    slow.join(PATIENCE)

    assert (pushed, is_waiting, answers) == ("deny", True, [(None, "")])


@pytest.mark.req("D12", "F01")
def test_a_hung_daemon_denies_what_acts_and_lets_pass_what_has_happened(served: Home) -> None:
    """The reason says what to do; the pass is a gap entry once a daemon starts again."""
    pid = served.started[0].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        verdict, reason = decided(served.shim(bash("ls")))
        passed = served.shim(AFTER)
    finally:
        os.kill(pid, signal.SIGCONT)
    served.end()
    served.start()
    wait_for(lambda: served.entries("gap"), "the gap is recorded")

    assert verdict == "deny"
    assert "the daemon is silent" in reason
    assert "interlock daemon status" in reason
    assert (passed.returncode, passed.stdout) == (0, b"")
    assert served.entries("gap")[0].body["outcomes"] == {"passed": 1}


@pytest.mark.req("F01", "F03", "F08")
def test_a_daemon_that_cannot_start_closes_and_opens_by_the_table(place: Home) -> None:
    """Before a call: deny, without a word of the pause. After it: nothing said, a line for the ledger."""
    launch = place.folder / "launch"
    usable = launch.read_text()
    launch.write_text(usable.replace(place.command()[0], "/nonexistent/python"))
    verdict, reason = decided(place.shim(bash("ls")))
    passed = place.shim(AFTER)
    launch.write_text(usable)
    place.shim(AFTER)
    wait_for(lambda: place.entries("gap"), "the gap is recorded")

    assert verdict == "deny"
    assert reason.endswith("run `interlock daemon status`")
    assert (passed.returncode, passed.stdout, passed.stderr) == (0, b"", b"")
    (gap,) = place.entries("gap")
    assert (gap.body["lost"], gap.body["events"]) == (1, {"PostToolUse": 1})


@pytest.mark.req("D12")
def test_a_socket_nobody_listens_on_is_no_obstacle(place: Home) -> None:
    """The shim starts a daemon, which takes the path over."""
    place.places.run.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place.places.socket))

    assert decided(place.shim(bash("ls"))) == (None, "")


@pytest.mark.req("D11")
def test_a_client_that_dies_while_its_hook_runs_leaves_an_undelivered_entry(place: Home) -> None:
    """The decision is recorded, then that nobody took it; the daemon goes on."""
    begun = place.folder / "begun"
    place.write_policy(SLOW.replace("sleep 0.5", f"touch {begun}; sleep 0.5"))
    place.start()
    with place.connected() as peer:
        peer.sendall(encode_call(Call(host="claude-code", payload=bash("ls", tool_use_id="t1"))))
        wait_for(begun.exists, "the hook runs")
    wait_for(lambda: place.entries("undelivered"), "the entry is there")

    decision, undelivered = place.entries()
    assert (decision.op, decision.body["decision"]) == ("decision", "deny")
    assert undelivered.body == {"event": "PreToolUse", "session_id": "s", "tool_use_id": "t1"}
    assert place.started[0].poll() is None


@pytest.mark.req("F08")
def test_every_hook_that_failed_open_is_counted_and_recorded(place: Home) -> None:
    """The number is in the status, the entry says how many and which."""
    place.write_policy(
        SLOW.replace("sleep 0.5; exit 2", "exit 7").replace("name: slow,", "name: slow, on_failure: open,")
    )
    place.start()
    answers = [decided(place.call(bash("ls", tool_use_id=str(n)))) for n in range(3)]
    found = place.status()

    assert answers == [(None, "")] * 3
    assert found is not None
    assert found["open_passes"] == 3
    assert [entry.body["open_passes"] for entry in place.entries("decision")] == [1, 1, 1]
    assert place.entries("decision")[0].body["trace"][0]["passed_open"]
