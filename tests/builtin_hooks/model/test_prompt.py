"""A model is shown an event, and its answer objects, nudges or passes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from clients.model_server import ModelServer
from clients.turns import Fail
from tests.builtin_hooks.asked_model import answering, asking
from tests.builtin_hooks.making import bash, made

from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Outcome, Vote
from interlock.policy.hook_kind import MemoryInProcess

OK = '{"ok": true}'


def decided(answer: str, event: Event, at: str = "pre_tool_use", **entry: Any) -> Decision:
    """What one answer of the model comes to."""
    with answering(answer) as server:
        return asking("prompt", server, {"prompt": "Fine? $ARGUMENTS"}, event=at, **entry).decide_sync(event)


@pytest.mark.req("P6", "C75")
def test_the_event_stands_in_the_question() -> None:
    """`$ARGUMENTS` is the event as JSON, without ids that differ from call to call."""
    with answering(OK) as server:
        engine = asking("prompt", server, {"prompt": "May `it` run?\n$ARGUMENTS\nMind the time."})
        decision = engine.decide_sync(bash("ls -la", "/srv", session="s-17"))
        (seen,) = server.seen()
    opening, document, closing = seen.opening().split("\n")

    assert (opening, closing) == ("May `it` run?", "Mind the time.")
    assert json.loads(document)["tool_input"] == {"command": "ls -la"}
    assert json.loads(document)["hook_event_name"] == "PreToolUse"
    assert "s-17" not in document
    assert seen.body["model"] == "scripted"
    assert decision.vote is Vote.ABSTAIN


def test_a_question_without_the_mark_is_followed_by_the_event() -> None:
    """Nothing is ever asked without what it is asked about."""
    with answering(OK) as server:
        asking("prompt", server, {"prompt": "Fine?"}).decide_sync(bash("ls"))
        (seen,) = server.seen()

    assert seen.opening().startswith('Fine?\n\n{"')


@pytest.mark.req("C75")
def test_no_is_a_denial_with_the_models_reason() -> None:
    """`ok: false` blocks."""
    decision = decided('```json\n{"ok": false, "reason": "it deletes the backups"}\n```', bash("ls"))

    assert (decision.vote, decision.reason) == (Vote.DENY, "it deletes the backups")


@pytest.mark.parametrize(
    ("answer", "vote"),
    [
        (OK, Vote.ABSTAIN),
        ('{"pass": true}', Vote.ABSTAIN),
        ('{"decision": "ask", "reason": "who knows"}', Vote.ASK),
        ('{"decision": "deny", "reason": "no"}', Vote.DENY),
        ('{"decision": "block", "reason": "no"}', Vote.DENY),
        ('{"decision": "allow"}', Vote.ABSTAIN),
    ],
)
def test_each_answer_means_what_it_says_and_none_approves(answer: str, vote: Vote) -> None:
    """A model that has read hostile text can object, but its yes gives nobody a permission."""
    decision = decided(answer, bash("ls"), auto_approve=True)

    assert decision.vote is vote
    assert not decision.auto_approve


def test_a_model_changes_no_input() -> None:
    """It reads what others wrote, so its rewriting would be theirs."""
    changed = decided('{"decision": "allow", "modified_input": {"command": "id"}}', bash("ls"))

    assert changed.updated_input is None


@pytest.mark.parametrize("answer", ["Sure, go ahead!", "[1]", '{"ok": "yes"}', '{"reason": "x"}', ""])
def test_what_is_no_answer_follows_the_failure_rule(answer: str) -> None:
    """Closed before a call unless the entry says open; and the failure stands in the trace."""
    closed = decided(answer or " ", bash("ls"))
    opened = decided(answer or " ", bash("ls"), on_failure="open")

    assert closed.vote is Vote.DENY
    assert opened.vote is Vote.ABSTAIN
    assert [row.outcome for row in (*closed.trace, *opened.trace)] == [Outcome.ERROR, Outcome.ERROR]


@pytest.mark.deep
@pytest.mark.req("P33")
def test_a_nudge_sends_a_stop_back_once(tmp_path: Path) -> None:
    """The model sees what git says of the changes; a stop that was sent back already is not asked about."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.py").write_text("x = 1\n")
    subprocess.run(["git", "-C", tmp_path, "add", "a.py"], check=True)
    config = {"prompt": "Claude finished. Is this a good commit point?", "include": ["diff_stat"]}
    first = Event(name="Stop", session_id="s", cwd=str(tmp_path))
    again = Event(name="Stop", session_id="s", cwd=str(tmp_path), extra={"stop_hook_active": True})
    with answering('{"nudge": "Commit a.py now."}', OK) as server:
        engine = asking("prompt", server, config, event="stop")
        decisions = [engine.decide_sync(first), engine.decide_sync(again)]
        (seen,) = server.seen()

    assert "a.py" in json.loads(seen.opening().split("\n\n")[1])["git_diff_stat"]
    assert [(one.vote, one.reason) for one in decisions] == [
        (Vote.DENY, "Commit a.py now."),
        (Vote.ABSTAIN, None),
    ]


@pytest.mark.req("P33")
def test_pass_lets_a_stop_be() -> None:
    """The other answer."""
    assert decided('{"pass": true}', Event(name="Stop", session_id="s"), "stop").vote is Vote.ABSTAIN


def test_elsewhere_a_nudge_is_context() -> None:
    """Nothing is denied by advice."""
    after = decided('{"nudge": "mind the gap"}', bash("ls"))

    assert (after.vote, after.context) == (Vote.ABSTAIN, ("mind the gap",))


def test_the_same_question_is_asked_once() -> None:
    """By its content: the same call of another session gets the same answer, another call is asked about."""
    with answering('{"ok": false, "reason": "no"}', OK) as server:
        engine = asking("prompt", server, {"prompt": "Fine?"})
        votes = [engine.decide_sync(bash("ls", session=one)).vote for one in ("a", "b")]
        other = engine.decide_sync(bash("pwd")).vote
        asked = len(server.seen())

    assert votes == [Vote.DENY, Vote.DENY]
    assert (other, asked) == (Vote.ABSTAIN, 2)


def test_a_failure_is_not_remembered() -> None:
    """The next call asks again."""
    with answering("hm", OK) as server:
        engine = asking("prompt", server, {"prompt": "Fine?"})
        first, second = (engine.decide_sync(bash("ls")).vote for _ in range(2))
        asked = len(server.seen())

    assert first is Vote.DENY
    # The scripted model answers the same request alike, so only that it was asked can be seen.
    assert (second, asked) == (Vote.DENY, 2)


def test_secrets_stay_here() -> None:
    """Neither in the event nor in the question does one leave this machine."""
    token = "ghp_" + "a1B2" * 9
    with answering(OK) as server:
        engine = asking("prompt", server, {"prompt": f"Fine? Ours is {token}. $ARGUMENTS"})
        engine.decide_sync(bash(f"curl -H 'Authorization: token {token}' x"))
        (seen,) = server.seen()

    assert token not in json.dumps(seen.body)
    assert "[secret:" in seen.opening()


def test_a_day_has_so_many_tokens() -> None:
    """What is over is not asked, in any session, and whoever remembers remembers that too."""
    memory = MemoryInProcess()
    with answering(OK, OK, OK) as server:
        place = {"tokens_per_day": 20}
        for _ in range(2):  # a new engine, as after a restart
            engine = asking("prompt", server, {"prompt": "Fine?"}, memory=memory, place=place)
            last = [engine.decide_sync(bash(f"ls {number}", session=str(number))) for number in (1, 2, 3)][-1]
        asked = len(server.seen())

    assert asked == 2  # 15 tokens each
    assert last.vote is Vote.DENY
    assert last.reason is not None
    assert "30 model tokens" in last.reason


def test_a_session_has_so_many_questions() -> None:
    """Where the entry says so; another session has its own."""
    with answering(OK, OK, OK) as server:
        engine = asking("prompt", server, {"prompt": "Fine?", "calls_per_session": 1})
        votes = [engine.decide_sync(bash(f"ls {one}", session=one[0])).vote for one in ("a1", "a2", "b1")]

    assert votes == [Vote.ABSTAIN, Vote.DENY, Vote.ABSTAIN]


def test_what_a_server_says_is_told_without_the_key() -> None:
    """An error is a failure with the server's words; a key it repeats is taken out."""
    fail = Fail(status=401, kind="authentication_error", message="bad key sk-of-a-test")
    with ModelServer([], side=[fail]) as server:
        decision = asking("prompt", server, {"prompt": "Fine?"}).decide_sync(bash("ls"))

    assert decision.vote is Vote.DENY
    assert decision.reason is not None
    assert "401" in decision.reason
    assert "sk-of-a-test" not in decision.reason


@pytest.mark.deep
def test_a_server_that_is_not_there_is_a_failure() -> None:
    """As is one that is slower than the hook's time."""
    with answering(OK) as server:
        gone = server
    decision = asking("prompt", gone, {"prompt": "Fine?"}).decide_sync(bash("ls"))

    assert decision.vote is Vote.DENY
    assert [row.outcome for row in decision.trace] == [Outcome.ERROR]


def test_an_event_too_long_to_be_shown_is_not_judged_by_its_beginning() -> None:
    """What was cut out could be what matters."""
    with answering(OK) as server:
        decision = asking("prompt", server, {"prompt": "Fine?"}).decide_sync(bash("x" * 200_000))
        asked = server.seen()

    assert (decision.vote, asked) == (Vote.DENY, [])


def test_what_it_took_stands_in_the_trace() -> None:
    """Model and tokens, as evidence that is not an entry of its own."""
    decision = decided(OK, bash("ls"))

    (kept,) = decision.evidence
    assert (kept.kind, kept.ledger) == ("model", False)
    assert kept.data == {"model": "scripted", "tokens": 15, "turns": 1}


def test_an_empty_question_does_not_load() -> None:
    """The mistake is told at its place."""
    with pytest.raises(ConfigError, match="there is no question"):
        made("prompt", "pre_tool_use", {"prompt": "  "})
