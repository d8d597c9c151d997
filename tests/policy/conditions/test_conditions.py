"""Conditions read what an event has, read null where it has not, and refuse what they cannot answer."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.builders import call

from interlock.errors import ConditionError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.policy.conditions.condition import MAX_BUILT, MAX_LENGTH, parse_condition

BASH = Event(
    name="PreToolUse",
    session_id="s1",
    cwd="/p",
    host="claude-code",
    permission_mode="plan",
    extra={"model": {"id": "m"}},
    tool=ToolCall(
        name="Bash",
        input={"command": "ls -l", "a-b": 2, "edits": [{"old": "x"}], "nothing": None},
        use_id="t1",
    ),
)
STOP = Event(name="Stop", commitment_id="cmt_1")


def holds(text: str, event: Event = BASH) -> bool:
    return parse_condition(text).holds(event)


@pytest.mark.parametrize(
    "text",
    [
        'tool.name == "Bash" && tool.use_id == "t1"',
        'event.name == "PreToolUse" && event.cwd == "/p" && event.host == "claude-code"',
        'event.session_id == "s1" && session.id == "s1" && event.permission_mode == "plan"',
        'actor == "agent:main" && effort == null && commitment == null',
        'event.extra.model.id == "m"',
        'tool.input["a-b"] == 2',
        'tool.input.command.startsWith("ls") && tool.input.command.matches("^l")',
        'tool.input.edits.exists(e, e.old == "x")',
        "[1, 2].map(n, n * 2).exists(n, n == 4)",
        'tool . name == "Bash" // tool.name.x\n',
        "\"tool.nope\" == 'tool.nope' && r\"\\tool.x\" != '''tool.y'''",
        '{"tool": 1}["tool"] == 1 && type(1) == int',
    ],
)
def test_what_an_event_has_can_be_read(text: str) -> None:
    """Every root is bound; fields, indexes, methods, macros, strings and comments mean what CEL says."""
    assert holds(text)


@pytest.mark.req("M19")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("tool.input.nope == null", True),
        ('tool.input.nope == "x"', False),
        ("tool.input.a.b.c == null", True),
        ("tool.input.nothing == null", True),
        ("commitment.requires_review == true", False),
        ("commitment.requires_review == null && commitment == null", True),
        ('tool.input.nope == "x" || tool.name == "Bash"', True),
        ('tool.input.nope.startsWith("x") || true', True),
        ("has(tool.input.nope) || has(commitment.id)", False),
        ("has(tool.input.command) && has(tool.input.nothing)", True),
    ],
)
def test_a_missing_field_reads_as_null(text: str, answer: bool) -> None:
    """Missing keys and members of null are null, and `has` still tells whether a key is there."""
    assert holds(text) is answer


def test_an_event_without_a_tool_has_a_null_tool() -> None:
    """Roots stay bound whatever the event carries."""
    assert holds('tool == null && tool.name == null && commitment.id == "cmt_1"', STOP)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 +", "cannot be read: Syntax error"),
        ("", "cannot be read"),
        ("(" * 300, "cannot be read"),
        ("tool[?'x'] == 1", "cannot be read: unsupported syntax"),
        ("evnt.name == 'x'", "unknown name `evnt`; did you mean `event`?"),
        ("x == 1", "unknown name `x`; use one of `event`, `tool`"),
        (".tool.name == 'x'", "unknown name `.tool`"),
        ("tool.name.startWith('B')", "unknown function `startWith`; did you mean `startsWith`?"),
        ("min(1, 2) == 1", "unknown function `min`"),
        ("['a'].exists(x, ['b'].all(y, y == x))", "`all` inside another macro"),
        ("['a'].map(x, [x].filter (y, true)) == []", "`filter` inside another macro"),
        ("['a'].exists(tool, tool == 'a')", "a macro cannot bind `tool`"),
        ("['a'].exists(__r0, true)", "a macro cannot bind `__r0`"),
        (" " * (MAX_LENGTH + 1), "2,001 characters are too long"),
    ],
)
def test_what_can_never_work_is_refused_when_loaded(text: str, words: str) -> None:
    """Syntax, unknown names, nested macros and long texts are load errors."""
    with pytest.raises(ConditionError) as caught:
        parse_condition(text)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool.name", "gave `Bash`; it must be true or false"),
        ("tool.input.timeout > 5", "the condition `tool.input.timeout > 5` failed: No such overload"),
        ("tool.input.command.matches('(')", "not a valid regex"),
        ("1 / 0 == 1", "division by zero"),
        ("tool.input.edits.all(e, e.new == 'x')", "failed"),
    ],
)
def test_no_yes_or_no_is_a_condition_error(text: str, words: str) -> None:
    """An evaluation that fails says so; the engine decides what that means."""
    condition = parse_condition(text)

    with pytest.raises(ConditionError) as caught:
        condition.holds(BASH)

    assert words in str(caught.value)


def test_the_text_is_kept_for_traces() -> None:
    """A condition shows the text a person wrote."""
    assert parse_condition("tool.name == 'x'").text == "tool.name == 'x'"


@pytest.mark.deep
def test_only_the_native_module_is_loaded() -> None:
    """The package around the engine, with its command line, is never imported."""
    code = (
        "import sys; from interlock.policy.conditions.condition import parse_condition; "
        "assert not any('cel' == name.split('.')[0] for name in sys.modules); "
        "parse_condition('true'); "
        "print(sorted(name for name in sys.modules if name.split('.')[0] in {'cel', 'prompt_toolkit'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.parametrize("macro", ["map(e, e)", "filter(e, e != 'x')"])
@pytest.mark.parametrize("path", ["edits", "edits[0]"])
def test_a_list_is_built_only_of_a_few_elements(macro: str, path: str) -> None:
    """What costs the square of its length fails on a long list, also one inside another; `all` does not."""
    edits = ["a"] * (MAX_BUILT + 1)
    event = call("Edit", tool_input={"edits": [edits] if path != "edits" else edits})

    with pytest.raises(ConditionError, match="elements"):
        parse_condition(f"tool.input.{path}.{macro}.size() > 0").holds(event)
    assert parse_condition(f"tool.input.{path}.all(e, e == 'a')").holds(event)
    few = call("Edit", tool_input={"edits": [edits[1:]] if path != "edits" else edits[1:]})
    assert parse_condition(f"tool.input.{path}.{macro}.size() > 0").holds(few)
