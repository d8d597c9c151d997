"""Before every call: a count, a threshold, a warning, rules, and commands of ours that are let through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.features.work.hooked import UUID, Hooked

from interlock.events.verdict import NO_OPINION, Vote
from interlock.features.work.effort_operations import Caller, EffortOperations
from interlock.features.work.settings import WorkRules
from interlock.hosts.claude_code.read import read_event

FIELDS = [
    "allow",
    "heartbeatCount",
    "contextUsage",
    "overflowWarning",
    "pendingPreloads",
    "firedRules",
]


def shell(command: str) -> dict[str, Any]:
    """A call of the shell."""
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def answered(transcript: Path, tokens: int) -> str:
    """A transcript whose last answer took in so many tokens."""
    usage = {"input_tokens": 1, "cache_read_input_tokens": tokens - 1}
    message = {"role": "assistant", "model": "claude-x", "usage": usage, "content": []}
    with transcript.open("a") as file:
        file.write(json.dumps({"type": "assistant", "message": message}) + "\n")
    return str(transcript)


@pytest.mark.req("E23")
def test_it_answers_with_these_fields_and_a_reason_only_with_a_no(hooked: Hooked) -> None:
    """In this order; `reason` last."""
    hooked.begun(metadata={"blockAfter": 2})
    first, second = hooked.calls(2)
    assert list(first) == FIELDS
    assert list(second) == [*FIELDS, "reason"]


@pytest.mark.req("E22", "E39", "E48")
def test_the_tenth_call_without_a_word_waits(hooked: Hooked) -> None:
    """Nine pass, the tenth and every later one is held, and blocked calls still count."""
    hooked.begun()
    answers = hooked.calls(12)
    assert [one["heartbeatCount"] for one in answers] == list(range(1, 13))
    assert [one["allow"] for one in answers] == [True] * 9 + [False] * 3
    assert answers[9]["reason"].startswith("heartbeat-block: 10/10 tool calls without logging; ")
    assert "`interlock effort log" in answers[9]["reason"]
    verdict = hooked.tell("PreToolUse", tool_use_id="toolu_99")
    assert verdict.vote is Vote.DENY
    assert (verdict.reason or "").startswith("heartbeat-block: 13/10")


@pytest.mark.req("E48")
@pytest.mark.parametrize(("metadata", "setting", "passing"), [({}, 4, 3), ({"blockAfter": 2}, 4, 1)])
def test_the_efforts_own_number_wins_over_the_setting(
    hooked: Hooked, metadata: dict[str, Any], setting: int, passing: int
) -> None:
    """And the setting over ten."""
    hooked.rules = WorkRules(block_after=setting)
    hooked.begun(metadata=metadata)
    assert [one["allow"] for one in hooked.calls(5)] == [True] * passing + [False] * (5 - passing)


@pytest.mark.req("E48")
def test_zero_blocks_the_first_call(hooked: Hooked) -> None:
    """A number that is none is passed over."""
    hooked.begun(metadata={"blockAfter": 0})
    assert hooked.calls(1)[0]["reason"].startswith("heartbeat-block: 1/0 ")
    hooked.work.efforts.set_metadata(1, {"blockAfter": "3"})
    assert hooked.calls(1, first=5)[0]["allow"] is True


def test_a_call_reported_twice_counts_once(hooked: Hooked) -> None:
    """Double installs happen, and a judge is asked again about a changed input."""
    hooked.begun()
    assert [hooked.calls(1)[0]["heartbeatCount"] for _ in range(3)] == [1, 1, 1]


@pytest.mark.req("E18", "E24")
def test_without_effort_or_session_there_is_no_opinion(hooked: Hooked) -> None:
    """`allow` on the wire, an abstention in the chain: other hooks still judge."""
    nothing: dict[str, Any] = {
        "allow": True,
        "heartbeatCount": 0,
        "contextUsage": None,
        "overflowWarning": False,
        "pendingPreloads": [],
        "firedRules": [],
    }
    assert hooked.ask("PreToolUse", session_id="nobody", cwd="/nowhere") == nothing
    assert hooked.tell("PreToolUse", session_id="nobody") == NO_OPINION
    hooked.ask("SessionStart", session_id="u-2")
    assert hooked.ask("PreToolUse", session_id="u-2") == nothing
    hooked.begun()
    assert hooked.ask("PreToolUse", session_id="u-3", agent="unknown") == nothing


@pytest.mark.req("E22")
def test_only_the_session_that_owns_the_effort_counts(hooked: Hooked) -> None:
    """Another window in the same project is at work on nothing."""
    hooked.begun()
    hooked.calls(12)
    assert [one["allow"] for one in hooked.calls(12, session_id="u-other")] == [True] * 12


@pytest.mark.req("E49")
@pytest.mark.parametrize("metadata", [{"loading": True}, {"dehydrating": True}])
def test_while_loading_or_dehydrating_nothing_is_counted(hooked: Hooked, metadata: dict[str, Any]) -> None:
    """And a finished effort holds nobody."""
    hooked.begun(metadata={"blockAfter": 0, **metadata})
    assert [one["allow"] for one in hooked.calls(3)] == [True] * 3
    assert hooked.session(1).heartbeat_counter == 0


@pytest.mark.req("E49")
def test_a_finished_effort_holds_nobody(hooked: Hooked) -> None:
    """Its session may go on with whatever it likes."""
    hooked.begun(metadata={"blockAfter": 0})
    hooked.work.efforts.finish(1)
    assert hooked.calls(1)[0]["allow"] is True


@pytest.mark.req("E22", "E49")
@pytest.mark.parametrize(
    "command",
    [
        "interlock effort show",
        "interlock session dehydrate <<'X'\n{}\nX",
        'interlock effort log "## Parser\nworks"',
        "interlock effort log - <<'X'\n## Parser\nX",
        "interlock effort log --help",
    ],
)
def test_our_own_commands_pass_and_only_an_entry_starts_the_count_anew(hooked: Hooked, command: str) -> None:
    """Also when calls are held, else nobody could go on; a log that is denied or asks for help is none."""
    hooked.begun()
    hooked.calls(11)
    passed = hooked.ask("PreToolUse", **shell(command))
    assert (passed["allow"], passed["heartbeatCount"]) == (True, 11)
    assert hooked.calls(1, first=40)[0]["allow"] is False
    EffortOperations(hooked.work).log(Caller(host_session_id=UUID), "## Parser\nworks")
    assert hooked.calls(1, first=50)[0]["heartbeatCount"] == 1


@pytest.mark.req("E49")
@pytest.mark.parametrize(
    "command",
    [
        "/opt/ours/interlock effort log x",
        "'/opt/ours/interlock' effort log x",
        "../../opt/ours/interlock effort log x",
        "INTERLOCK_HOME=/h /opt/ours/interlock effort log x",
        "env INTERLOCK_HOME=/h interlock effort log x",
        "command interlock effort log x",
        "timeout 10 /opt/ours/interlock effort show",
        "bash -c '/opt/ours/interlock effort log x'",
        "cd /a && interlock effort log x 2>&1 | tail -3",
        'interlock effort log "$(cat <<\'END\'\n## Found\nit\'s {"a": 1}\nEND\n)"',
        "cat <<'END' | /opt/ours/interlock effort log -\nfound\nEND",
        "printf '%s' found | interlock effort log - || true",
        "interlock effort log x && interlock effort phase '2: Build'; echo done",
        "interlock session dehydrate /a/b/handover.json",
    ],
)
def test_our_command_passes_in_every_spelling(hooked: Hooked, command: str) -> None:
    """By its path, behind what only runs it, with its own variables: an agent without a PATH must get out."""
    hooked.program = "/opt/ours/interlock"
    hooked.begun(metadata={"blockAfter": 0})
    assert hooked.ask("PreToolUse", cwd="/a/b", **shell(command))["allow"] is True


@pytest.mark.parametrize(
    "command",
    [
        "/tmp/interlock effort log x",
        "timeout 10 interlock effort log x; make all",
        "bash -c 'interlock effort log x; make all'",
        "env PATH=/tmp interlock effort log x",
        "sudo interlock effort log x",
        "interlock effort log x; make all",
        "interlock effort log x && make all",
        "interlock effort log x | sh",
        "interlock effort log $(make all)",
        "interlock effort log `make all`",
        'interlock effort log "$(cat notes.md)"',
        "interlock effort log x; cat notes.md",
        "interlock effort log x; echo y > notes.md",
        "cd /a && make all",
        "cd /a; echo interlock effort log",
        "interlock effort log x\nmake all",
        "interlock effort log x > out.txt",
        "PATH=/tmp interlock effort log x",
        "./interlock effort log x",
        "interlock watch -- make all",
        "interlock rpc hooks.stop {}",
        "interlock-log x",
        "echo interlock effort log",
        "interlock",
        "engine log x",
    ],
)
@pytest.mark.req("X41")
def test_a_text_that_only_begins_like_one_of_ours_is_counted(hooked: Hooked, command: str) -> None:
    """Nothing else may run: the reader says so, not how the text begins."""
    hooked.begun(metadata={"blockAfter": 0})
    assert hooked.ask("PreToolUse", **shell(command))["allow"] is False


@pytest.mark.req("E23", "E40", "X21")
def test_a_full_window_is_told_to_dehydrate(hooked: Hooked, tmp_path: Path) -> None:
    """At ninety per cent by the transcript's token counts; the share is kept with the session."""
    hooked.begun()
    path = answered(tmp_path / "t.jsonl", 100_000)
    verdict = hooked.tell("PreToolUse", transcript_path=path)
    assert verdict.context is None
    half = hooked.ask("PreToolUse", transcript_path=path, tool_use_id="t2")
    assert (half["contextUsage"], half["overflowWarning"]) == (0.5, False)

    answered(tmp_path / "t.jsonl", 182_000)
    told = hooked.tell("PreToolUse", transcript_path=path, tool_use_id="t3")
    assert told.vote is Vote.ABSTAIN
    assert told.context is not None
    assert "91% full" in told.context
    file = hooked.folder / "task" / "1_IMPLEMENT_HANDOVER_1.json"
    assert f"`{file}`" in told.context
    assert f"`interlock session dehydrate {file}`" in told.context
    full = hooked.ask("PreToolUse", transcript_path=path, tool_use_id="t4")
    assert (full["allow"], full["overflowWarning"], full["contextUsage"]) == (True, True, 0.91)
    assert hooked.session(1).context_usage == pytest.approx(0.91)


def test_the_warning_comes_again_only_when_the_window_is_fuller(hooked: Hooked, tmp_path: Path) -> None:
    """It takes room in the very window it speaks of."""
    hooked.begun(metadata={"blockAfter": 100})
    path = answered(tmp_path / "t.jsonl", 182_000)
    first, second = (hooked.tell("PreToolUse", transcript_path=path, tool_use_id=f"t{n}") for n in (1, 2))
    answered(tmp_path / "t.jsonl", 190_000)
    third = hooked.tell("PreToolUse", transcript_path=path, tool_use_id="t3")
    assert [one.context is None for one in (first, second, third)] == [False, True, False]


@pytest.mark.req("X21")
@pytest.mark.parametrize(
    ("at", "window", "warned"), [(0.4, None, True), (0.9, 100_000, True), (0.9, None, False)]
)
def test_threshold_and_window_are_settings(
    hooked: Hooked, tmp_path: Path, at: float, window: int | None, warned: bool
) -> None:
    """A hundred thousand tokens are much or little."""
    hooked.rules = WorkRules(overflow_at=at, context_window=window)
    hooked.begun()
    path = answered(tmp_path / "t.jsonl", 100_000)
    assert hooked.ask("PreToolUse", transcript_path=path)["overflowWarning"] is warned


@pytest.mark.req("E22", "E47")
def test_guard_rules_of_the_effort_are_given_and_block_nothing(hooked: Hooked) -> None:
    """All that hold, with their payloads; the model hears of each when it begins to hold."""
    guards = [
        {
            "ruleId": "slow-down",
            "condition": {"field": "heartbeat_counter", "op": "gte", "value": 2},
            "payload": "Think.",
        },
        {
            "ruleId": "full",
            "condition": {"field": "context_usage", "op": "gt", "value": 0.1},
            "payload": {"a": 1},
        },
        {
            "ruleId": "cel",
            "condition": {"cel": "tool == 'Read' && heartbeat_counter == 3"},
            "payload": {"b": 2},
        },
    ]
    hooked.begun(metadata={"guards": guards})
    told = [hooked.tell("PreToolUse", tool_use_id=f"t{n}").context for n in range(4)]
    assert told == [None, "[Guard: slow-down]\nThink.", '[Guard: cel]\n{"b":2}', None]
    answer = hooked.ask("PreToolUse", tool_use_id="t2")
    assert answer["allow"] is True
    assert answer["firedRules"] == [{"ruleId": "slow-down", "payload": "Think."}]


@pytest.mark.req("E44", "E67")
def test_unread_directives_leave_three_calls_and_then_hold(hooked: Hooked) -> None:
    """Reading them is always free, and frees the rest; those for a skill only advise."""
    hooked.begun()
    directive, soft = hooked.folder / "AGENTS.md", hooked.folder / "TESTING.md"
    directive.write_text("rules")
    soft.write_text("hints")
    hooked.work.sessions.add_directives(1, [str(directive), str(soft)])

    answers = hooked.calls(5)
    assert [one["allow"] for one in answers] == [True, True, True, False, False]
    assert answers[0]["pendingPreloads"] == [str(directive)]
    assert answers[4]["reason"].startswith("directive-gate: read `")
    reading: dict[str, Any] = {"tool_name": "Read", "tool_input": {"file_path": str(directive)}}
    assert hooked.ask("PreToolUse", tool_use_id="r", **reading)["allow"] is True
    hooked.ask("PostToolUse", tool_use_id="r", **reading)
    assert hooked.calls(1, first=20)[0]["pendingPreloads"] == []


@pytest.mark.req("E44")
def test_the_session_gate_holds_sessions_without_an_effort(hooked: Hooked) -> None:
    """Off unless said; talking, skills and our own commands are free, and so is a session with an effort."""
    assert hooked.calls(1)[0]["allow"] is True
    hooked.rules = WorkRules(session_gate="deny")
    held = hooked.ask("PreToolUse", **shell("make"))
    assert (held["allow"], held["reason"].split(":")[0]) == (False, "session-gate")
    assert hooked.tell("PreToolUse", **shell("make")).vote is Vote.DENY
    assert hooked.ask("PreToolUse", **shell("interlock effort start docs implement"))["allow"] is True
    assert hooked.ask("PreToolUse", tool_name="Skill", tool_input={"skill": "greet"})["allow"] is True
    assert hooked.ask("PreToolUse", tool_name="AskUserQuestion", tool_input={})["allow"] is True
    hooked.begun()
    assert hooked.ask("PreToolUse", **shell("make"))["allow"] is True


def test_sessions_at_work_on_nothing_are_not_looked_up_again(hooked: Hooked) -> None:
    """The second call is answered from memory, until something changes."""

    def concerns() -> bool:
        payload = json.dumps(hooked.given("PreToolUse")).encode()
        return hooked.hooks.concerns(read_event(payload, {}))

    assert concerns()
    hooked.tell("PreToolUse")
    assert not concerns()
    hooked.rules = WorkRules(session_gate="deny")
    assert concerns()
    hooked.rules = WorkRules()
    hooked.tell("UserPromptSubmit")
    assert concerns()
    hooked.tell("PreToolUse")
    hooked.begun()
    hooked.hooks.forget()
    assert concerns()
    hooked.tell("PreToolUse")
    assert concerns()


def test_an_agent_that_goes_on_waits_for_nobody(hooked: Hooked) -> None:
    """A call after a question or an error shows that it was answered or overcome."""
    hooked.ask("SessionStart")
    for event in ("Notification", "PostToolUseFailure"):
        hooked.tell(event)
        assert hooked.status() in {"attention", "error"}
        hooked.tell("PreToolUse")
        assert hooked.status() == "working"
    hooked.tell("PermissionRequest")
    hooked.tell("PostToolUse")
    assert hooked.status(UUID) == "working"
