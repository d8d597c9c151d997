"""Laws of the answers by event when no decision can be had."""

from __future__ import annotations

import json

import pytest
from tests.shim.peer import Peer, answering
from tests.shim.shim_home import ShimHome, denied, event
from tests.shim.wire import answer

pytestmark = pytest.mark.deep

LIMIT = 16 * 1024 * 1024
GONE = "passed: the daemon's program cannot be run"


@pytest.fixture
def alone(place: ShimHome) -> ShimHome:
    """A home whose daemon cannot be had."""
    place.write_launch([str(place.folder / "gone")])
    return place


@pytest.mark.req("F03", "F04", "F05")
@pytest.mark.parametrize(
    "name",
    [
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "PostToolUse",
        "PostToolUseFailure",
        "Notification",
        "SessionEnd",
        "New",
    ],
)
def test_other_events_pass_and_leave_a_line(alone: ShimHome, name: str) -> None:
    """Nothing is printed, and the daemon will know of it."""
    done = alone.run(event(name))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert alone.gaps() == [f"{name} {GONE}"]


@pytest.mark.req("F04")
@pytest.mark.parametrize("name", ["UserPromptSubmit", "UserPromptExpansion"])
def test_a_prompt_is_held_back_where_prompts_are_judged(alone: ShimHome, name: str) -> None:
    """The daemon's mark says so; the host drops a prompt on exit code 2 and shows the reason."""
    state = alone.folder / "state"
    state.mkdir(exist_ok=True)
    (state / "prompts-judged").touch()
    done = alone.run(event(name))

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Interlock cannot be reached (")
    assert alone.gaps() == []


@pytest.mark.req("F01")
def test_a_tool_call_is_denied_in_the_hosts_words(alone: ShimHome) -> None:
    """One JSON object with no null in it, and no line: nothing passed."""
    done = alone.run(event())

    assert done.stdout.startswith(
        b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    )
    assert denied(done).startswith("Interlock cannot be reached (")
    assert alone.gaps() == []


@pytest.mark.req("F01")
def test_a_permission_request_is_denied_in_its_own_words(alone: ShimHome) -> None:
    """Only a JSON answer decides there."""
    done = alone.run(event("PermissionRequest"))
    output = json.loads(done.stdout)["hookSpecificOutput"]

    assert (done.returncode, done.stderr) == (0, b"")
    assert output["hookEventName"] == "PermissionRequest"
    assert output["decision"]["behavior"] == "deny"
    assert output["decision"]["message"].endswith("run `interlock daemon status`")


@pytest.mark.req("F01")
@pytest.mark.parametrize("host", ["codex", "gemini-cli"])
@pytest.mark.parametrize("name", ["PreToolUse", "Stop"])
def test_a_host_whose_words_are_not_known_here_gets_exit_code_2(
    alone: ShimHome, host: str, name: str
) -> None:
    """Closed, with the reason on standard error."""
    done = alone.run(event(name), host)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Interlock cannot be reached (")


@pytest.mark.req("F01")
@pytest.mark.parametrize(
    "payload", [b"", b"\n", b"null", b"{}", b'"PreToolUse"', b"\xff\xfe\0", event()[:-1]]
)
def test_an_event_without_a_name_is_refused(alone: ShimHome, payload: bytes) -> None:
    """What cannot be told apart from a tool call is treated like one."""
    done = alone.run(payload)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(b"run `interlock daemon status`\n")


@pytest.mark.req("D08")
def test_an_event_over_the_limit_is_refused_unsent(place: ShimHome) -> None:
    """17 MiB deny; the daemon is not asked and finds a line."""
    place.write_launch()
    large = event(tool_input={"command": "x" * (17 * 1024 * 1024)})
    with Peer(place.socket, answering(answer(b"allow"))) as peer:
        done = place.run(large)

    wrong = f"its input of {len(large)} bytes is larger than 16 MiB"
    assert denied(done) == f"Interlock cannot judge this call ({wrong}): do it in smaller pieces"
    assert peer.frames == []
    assert place.gaps() == [f"PreToolUse refused: {wrong}"]


@pytest.mark.req("D08", "F03")
def test_an_event_over_the_limit_after_the_action_passes(place: ShimHome) -> None:
    """Its name stands before what was too much."""
    place.write_launch()
    large = event("PostToolUse", tool_response="x" * (50 * 1024 * 1024))
    done = place.run(large)

    assert (done.returncode, done.stdout) == (0, b"")
    assert place.gaps() == [f"PostToolUse passed: its input of {len(large)} bytes is larger than 16 MiB"]


@pytest.mark.req("D08")
@pytest.mark.parametrize("over", [0, 1])
def test_the_limit_is_exact(place: ShimHome, over: int) -> None:
    """16 MiB are sent and one byte more is not."""
    place.write_launch()
    padding = LIMIT + over - len(event(prompt=""))
    with Peer(place.socket, answering(answer(b"sent"))) as peer:
        done = place.run(event(prompt="x" * padding))

    assert [len(frame.payload) for frame in peer.frames] == ([LIMIT] if over == 0 else [])
    assert (done.stdout == b"sent") is (over == 0)


def test_variables_over_the_limit_are_refused_and_not_cut(place: ShimHome) -> None:
    """A header without its actor would be judged as somebody else."""
    place.write_launch()
    with Peer(place.socket, answering(answer(b"allow"))) as peer:
        done = place.run(event(), env={"CLAUDE_PROJECT_DIR": "x" * 5_000, "INTERLOCK_ACTOR": "agent:x"})

    assert "the variables that go with it are longer than 4 KiB" in denied(done)
    assert peer.frames == []


def test_a_path_cannot_write_the_answer(place: ShimHome) -> None:
    """Quotes, backslashes and control bytes of a path do not reach the JSON."""
    strange = place.folder / 'a"\\\n\x1b'
    strange.mkdir()
    home = ShimHome(shim=place.shim, folder=strange)

    assert f"{place.folder}/a????/launch" in denied(home.run(event()))
