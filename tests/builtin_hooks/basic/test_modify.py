"""`modify` changes what it is told to and has no vote."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builders import bash, call, hook

from interlock.builtin_hooks.basic import Modify, Replacement, Target
from interlock.engine.engine import Engine
from interlock.errors import PatternError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote


def decide(rule: Modify, event: Event) -> Decision:
    return Engine([hook(rule, events=(event.name,))]).decide_sync(event)


def replaces(field: str, pattern: str, text: str, target: Target = Target.INPUT) -> Modify:
    return Modify(target, replace=[Replacement(field=field, pattern=pattern, text=text)])


@pytest.mark.req("M3", "M4")
def test_fields_are_set_removed_and_replaced_in_this_order() -> None:
    """The changed input is used; nothing is voted."""
    rule = Modify(
        Target.INPUT,
        set={"timeout": 5, "meta.deep": [1]},
        remove=["description", "absent.too"],
        replace=[Replacement(field="command", pattern="^npm ", text="pnpm ")],
    )
    decision = decide(rule, call("Bash", tool_input={"command": "npm test", "description": "x"}))

    assert decision.updated_input == {"command": "pnpm test", "timeout": 5, "meta": {"deep": [1]}}
    assert decision.vote is Vote.ABSTAIN


def test_the_event_and_the_rule_are_left_alone() -> None:
    """Neither the host's input nor the policy's values are shared with the result."""
    new: dict[str, Any] = {"list": [1]}
    rule = Modify(Target.INPUT, set={"extra": new})
    event = call("Bash", tool_input={"command": "ls", "inner": {"a": 1}})
    updated = decide(rule, event).updated_input

    assert updated is not None
    updated["extra"]["list"].append(2)
    updated["inner"]["a"] = 2
    assert (event.tool and event.tool.input) == {"command": "ls", "inner": {"a": 1}}
    assert (decide(rule, event).updated_input or {})["extra"] == {"list": [1]}


@pytest.mark.parametrize(
    "rule",
    [
        replaces("command", "absent", "x"),
        replaces("nowhere", "x", "y"),
        Modify(Target.INPUT, set={"command": "ls"}),
        Modify(Target.INPUT, remove=["absent"]),
    ],
)
def test_what_changes_nothing_is_no_change(rule: Modify) -> None:
    """The host is not told to replace an input by itself."""
    assert decide(rule, bash("ls")).updated_input is None


def test_a_prompt_and_an_output_can_be_changed() -> None:
    """An empty field name is the value itself."""
    prompt = Event(name="UserPromptSubmit", prompt="my key is k-123")
    output = bash("ls", name="PostToolUse", tool_output={"text": "k-123", "n": 1})

    assert decide(replaces("", r"k-\d+", "[key]", Target.PROMPT), prompt).updated_prompt == "my key is [key]"
    assert decide(replaces("text", r"k-\d+", "[key]", Target.OUTPUT), output).updated_output == {
        "text": "[key]",
        "n": 1,
    }


def test_an_input_is_changed_only_where_it_is_still_ahead() -> None:
    """After the call, changing the input would rewrite history."""
    decision = decide(Modify(Target.INPUT, set={"command": "x"}), bash("ls", name="PostToolUse"))

    assert decision.updated_input is None


def test_a_field_inside_what_is_no_object_is_a_failure() -> None:
    """Before a call that is closed, with the path in the reason."""
    decision = decide(Modify(Target.INPUT, set={"command.deep": 1}), bash("ls"))

    assert (decision.vote, "`command.deep` cannot be set" in (decision.reason or "")) == (Vote.DENY, True)


@pytest.mark.req("D17")
@pytest.mark.parametrize("pattern", ["(", "(?=x)", r"(a)\1"])
def test_an_expression_that_cannot_run_in_linear_time_does_not_load(pattern: str) -> None:
    """Look-around and back-references are refused when the rule is built."""
    with pytest.raises(PatternError, match="RE2"):
        replaces("command", pattern, "x")


def test_an_event_without_a_tool_is_left_alone() -> None:
    """There is no input to change."""
    assert decide(Modify(Target.INPUT, set={"a": 1}), Event(name="PreToolUse")).updated_input is None
