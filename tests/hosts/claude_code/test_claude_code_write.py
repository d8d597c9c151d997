"""Decisions become the bytes Claude Code understands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.hosts.claude_code.recorded import AT_THE_TERMINAL, HEADLESS, HOST, read

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.hosts.host import Reply

NOTHING = Reply()


def before_bash(env: dict[str, str] = HEADLESS, **changed: Any) -> Event:
    """A shell call about to run."""
    return read("PreToolUse-Bash.json", env, **changed)


def attended_bash() -> Event:
    """A shell call about to run while a person watches."""
    return before_bash(AT_THE_TERMINAL, permission_mode="default")


def denied(reason: str | None = "no force", **fields: Any) -> Decision:
    """A decision that says no."""
    return Decision(vote=Vote.DENY, reason=reason, **fields)


def asked(reason: str | None = "a push needs a person", **fields: Any) -> Decision:
    """A decision that wants a person."""
    return Decision(vote=Vote.ASK, reason=reason, **fields)


def passed(vote: Vote = Vote.ABSTAIN, **fields: Any) -> Decision:
    """A decision that stops nothing."""
    return Decision(vote=vote, **fields)


@pytest.mark.req("X31", "X37")
def test_a_deny_before_a_tool_call() -> None:
    """The deny is JSON with exit code 0, and the reason reads as the agent sees it."""
    assert HOST.write(before_bash(), denied("recursive removal")) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        b'"permissionDecisionReason":"Tool denied: recursive removal"}}'
    )


def test_an_ask_before_a_tool_call_with_a_person_there() -> None:
    """The host's own prompt asks."""
    assert HOST.write(attended_bash(), asked()) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",'
        b'"permissionDecisionReason":"a push needs a person"}}'
    )


@pytest.mark.req("F06", "M78")
@pytest.mark.parametrize("mode", ["bypassPermissions", "auto", "dontAsk", "default"])
def test_an_ask_with_nobody_there_is_a_deny(mode: str) -> None:
    """Silence is not consent, and the downgrade is noted."""
    assert HOST.write(before_bash(permission_mode=mode), asked()) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        b'"permissionDecisionReason":"Tool denied: a push needs a person; a person must approve this, '
        b'and nobody can be asked here"}}',
        degraded=("nobody can be asked at PreToolUse: denied instead",),
    )


@pytest.mark.parametrize("vote", [Vote.ABSTAIN, Vote.ALLOW])
def test_an_allow_is_no_approval(vote: Vote) -> None:
    """Where nothing objects, nothing is said, and the host goes on to its own rules."""
    assert HOST.write(before_bash(), passed(vote, reason="fine")) == NOTHING


def test_a_grant_skips_the_hosts_prompt() -> None:
    """Only a trusted entry's grant is sent as an allow."""
    granted = passed(Vote.ALLOW, reason="listed", auto_approve=True)

    assert HOST.write(before_bash(), granted) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",'
        b'"permissionDecisionReason":"listed"}}'
    )


@pytest.mark.req("P21", "X40")
def test_a_changed_input_goes_without_a_decision() -> None:
    """The new input is sent whole, and nobody's permission is given with it."""
    changed = passed(Vote.ALLOW, updated_input={"command": "make test", "description": "scripted"})

    assert HOST.write(before_bash(), changed) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PreToolUse",'
        b'"updatedInput":{"command":"make test","description":"scripted"}}}'
    )


def test_a_changed_input_goes_with_a_question_or_a_grant() -> None:
    """The person, and the grant, speak of the input that will run."""
    new = {"command": "git push"}
    ask = HOST.write(attended_bash(), asked("sure?", updated_input=new))
    grant = HOST.write(before_bash(), passed(Vote.ALLOW, auto_approve=True, updated_input=new))

    assert ask.stdout == (
        b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",'
        b'"permissionDecisionReason":"sure?","updatedInput":{"command":"git push"}}}'
    )
    assert grant.stdout == (
        b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",'
        b'"updatedInput":{"command":"git push"}}}'
    )


def test_a_denied_call_has_no_new_input() -> None:
    """What will not run is not rewritten."""
    reply = HOST.write(before_bash(), denied(updated_input={"command": "ls"}))

    assert b"updatedInput" not in reply.stdout


@pytest.mark.req("X38")
def test_context_is_for_the_model_and_messages_are_for_the_person() -> None:
    """Each has its own field, several of a kind are one text, and both go with a deny."""
    decision = denied("no", context=("one", "two"), messages=("m1", "m2"))

    assert HOST.write(before_bash(), decision) == Reply(
        stdout=b'{"systemMessage":"m1\\nm2","hookSpecificOutput":{"hookEventName":"PreToolUse",'
        b'"permissionDecision":"deny","permissionDecisionReason":"Tool denied: no",'
        b'"additionalContext":"one\\n\\ntwo"}}'
    )


@pytest.mark.req("X31", "F04")
@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("UserPromptSubmit.json", "Prompt refused"),
        ("UserPromptExpansion-slash_command-greet.json", "Prompt refused"),
        ("Stop.json", "Stop blocked"),
        ("SubagentStop.json", "Stop blocked"),
        ("TaskCreated.json", "Task refused"),
        ("ConfigChange-local_settings.json", "Settings change blocked"),
        ("PreCompact-auto.json", "Compaction blocked"),
    ],
)
def test_a_block(name: str, moment: str) -> None:
    """Where the host takes a block, the reason names the moment before the policy's own words."""
    reply = HOST.write(read(name), denied("run the tests first"))

    assert json.loads(reply.stdout) == {"decision": "block", "reason": f"{moment}: run the tests first"}
    assert reply == Reply(stdout=reply.stdout)


@pytest.mark.parametrize(
    ("name", "moment"), [("TaskCompleted", "Task not complete"), ("TeammateIdle", "Stop blocked")]
)
def test_a_block_by_exit_code(name: str, moment: str) -> None:
    """Exit code 2 blocks, and the printed reason keeps the host from taking us for a missing script."""
    told = f"{moment}: no such file: report.md"
    assert HOST.write(Event(name=name), denied("no such file: report.md")) == Reply(
        exit_code=2,
        stdout=f'{{"decision":"block","reason":"{told}"}}'.encode(),
        stderr=told.encode(),
    )


def test_a_worktree_is_refused_without_a_word_on_standard_output() -> None:
    """What is printed there would be taken for a path."""
    assert HOST.write(Event(name="WorktreeCreate"), denied("no worktrees", messages=("m",))) == Reply(
        exit_code=2,
        stderr=b"Worktree refused: no worktrees",
        degraded=("messages are not shown at WorktreeCreate",),
    )


@pytest.mark.parametrize(
    ("name", "moment"), [("Elicitation", "Question refused"), ("ElicitationResult", "Answer refused")]
)
def test_an_elicitation_is_declined(name: str, moment: str) -> None:
    """The reason has no field of its own, so the person reads it first among the messages."""
    reply = HOST.write(Event(name=name), denied("no secrets", messages=("m",)))

    assert json.loads(reply.stdout) == {
        "systemMessage": f"{moment}: no secrets\nm",
        "hookSpecificOutput": {"hookEventName": name, "action": "decline"},
    }


def test_a_permission_request_is_denied() -> None:
    """The dialog is answered with no."""
    assert HOST.write(read("PermissionRequest-Bash.json"), denied("never")) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PermissionRequest",'
        b'"decision":{"behavior":"deny","message":"Tool denied: never"}}}'
    )


def test_a_permission_request_is_granted_only_by_a_grant() -> None:
    """An allow leaves the dialog to the person."""
    event = read("PermissionRequest-Bash.json")
    grant = passed(Vote.ALLOW, auto_approve=True, updated_input={"command": "rm -r build"})

    assert HOST.write(event, passed(Vote.ALLOW)) == NOTHING
    assert HOST.write(event, grant) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PermissionRequest",'
        b'"decision":{"behavior":"allow","updatedInput":{"command":"rm -r build"}}}}'
    )


@pytest.mark.req("F06")
def test_a_question_leaves_the_dialog_to_the_person_who_is_there() -> None:
    """With a person the dialog shows, beside the reason; without one the answer is no."""
    there = read("PermissionRequest-Bash.json", AT_THE_TERMINAL)
    alone = read("PermissionRequest-Bash.json", HEADLESS)

    assert HOST.write(there, asked("sure?")) == Reply(stdout=b'{"systemMessage":"sure?"}')
    assert b'"behavior":"deny"' in HOST.write(alone, asked("sure?")).stdout


def test_a_new_output_replaces_the_tools() -> None:
    """After a call the model reads what the policy left of the output."""
    output = {"stdout": "[redacted]", "stderr": "", "interrupted": False, "isImage": False}

    assert HOST.write(read("PostToolUse-Bash.json"), passed(updated_output=output)) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":'
        b'{"stdout":"[redacted]","stderr":"","interrupted":false,"isImage":false}}}'
    )


def test_compaction_is_told_what_to_keep() -> None:
    """What is printed becomes an instruction: context is one, a message is not, nothing looks like JSON."""
    assert HOST.write(read("PreCompact-manual.json"), passed()) == NOTHING
    assert HOST.write(read("PreCompact-manual.json"), passed(context=("c",), messages=("m",))) == Reply(
        stdout=b"Keep this through the summary:\n\nc", degraded=("messages are not shown at PreCompact",)
    )


@pytest.mark.parametrize("name", ["SessionStart-startup.json", "SubagentStart.json", "Setup-init.json"])
def test_a_beginning_takes_context(name: str) -> None:
    """What the model should know from the start is given at the start."""
    event = read(name)

    assert json.loads(HOST.write(event, passed(context=("c",))).stdout) == {
        "hookSpecificOutput": {"hookEventName": event.name, "additionalContext": "c"}
    }


@pytest.mark.req("F05")
@pytest.mark.parametrize(("active", "sent"), [(False, True), (True, False), (None, False)])
def test_context_at_a_stop_nudges_once(active: bool | None, sent: bool) -> None:
    """Context there keeps the turn going, so it is not given when a stop hook already did."""
    reply = HOST.write(read("Stop.json", stop_hook_active=active), passed(context=("c",)))

    assert (b"additionalContext" in reply.stdout) is sent
    assert reply.degraded == (() if sent else ("context would make the agent continue at Stop",))


def test_a_deny_without_a_reason_still_has_words() -> None:
    """No reply carries an empty or missing reason."""
    assert b"Tool denied: the policy gives no reason" in HOST.write(before_bash(), denied(None)).stdout


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), float("inf")])
def test_a_change_that_is_no_json_is_never_sent_in_part(value: Any) -> None:
    """Before a call it is refused, after one nothing is said, and both are noted."""
    before = HOST.write(before_bash(), passed(updated_input={"command": value}))
    after = HOST.write(read("PostToolUse-Bash.json"), passed(updated_output=value))

    assert json.loads(before.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert before.degraded == ("the decision could not be written as JSON at PreToolUse",)
    assert after == Reply(degraded=("the decision could not be written as JSON at PostToolUse",))


def test_half_characters_of_a_hook_are_still_json() -> None:
    """Text from a hook cannot break the reply."""
    reply = HOST.write(before_bash(), denied("bad \ud800 text", context=("é",)))

    assert reply.stdout.isascii()
    assert json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"] == "é"
