"""A hook's examples are its own test, run whenever its file is loaded."""

from __future__ import annotations

import re
from typing import Final

from msgspec import UNSET

from interlock.errors import ConditionError
from interlock.events.event import Event
from interlock.events.hook import Condition, Handler, Hook, Matcher
from interlock.events.tool import ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Verdict, Vote
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.policy.files.document import Findings, Path
from interlock.policy.format.entry import ExampleCall, Examples

# Paths in examples are read as if the project stood here.
_PROJECT: Final = "/project"
_SHELL: Final = "Bash"
# An example is a call and nothing else: what these are in it, nobody has said.
_BESIDE_THE_CALL: Final = re.compile(r"\b(?:event|actor|session|effort|commitment)\b")


def check_examples(
    examples: Examples, hook: Hook, path: Path, findings: Findings, *, tools: ToolTable = STANDARD_TOOLS
) -> None:
    """Note every example that the hook treats otherwise than it says."""
    matcher, condition = hook.matcher, hook.condition
    book = PatternIndex(matcher.patterns, tools)
    for key, wanted in (("match", True), ("no_match", False)):
        listed: list[str | ExampleCall] = getattr(examples, key)
        for index, example in enumerate(listed):
            place = (*path, key, index)
            call = findings.attempt(place, _call, example, matcher, tools)
            if call is None:
                continue
            event = Event(name="PreToolUse", cwd=_PROJECT, tool=call)
            view = LocalCallView(event, book)
            met = (
                matcher.fires(view, every_part=hook.auto_approve)
                and (condition is None or _holds(condition, event, unless=wanted))
                and _stops(hook.handler, view)
            )
            if met is not wanted:
                verb = "is not matched by" if wanted else "is matched by"
                shown = example if isinstance(example, str) else call.name
                message = f"the example `{shown}` {verb} `{matcher.text}`; correct the matcher or the example"
                findings.problem(place, message)


def _holds(condition: Condition, event: Event, *, unless: bool) -> bool:
    """Whether the hook's condition is met; one about more than the call is what `unless` says."""
    if _BESIDE_THE_CALL.search(condition.text):
        return unless
    try:
        return condition.holds(event)
    except ConditionError:  # then the hook applies
        return True


def _stops(handler: Handler, view: LocalCallView) -> bool:
    """Whether a hook objects that chooses by itself among the calls its matcher means."""
    if handler.kind != "cleaning":
        return True
    verdict = handler.run(view, 1.0)
    return not isinstance(verdict, Verdict) or verdict.vote is not Vote.ABSTAIN


def _call(example: str | ExampleCall, matcher: Matcher, tools: ToolTable) -> ToolCall:
    if isinstance(example, str):
        return _main_call(_meant_tool(matcher), example, tools)
    if example.args is not UNSET and example.input is not UNSET:
        raise ValueError("an example has `input` or `args`; keep one of them")
    if example.args is not UNSET:
        return _main_call(example.tool, example.args, tools)
    return ToolCall(name=example.tool, input=example.input or {})


def _meant_tool(matcher: Matcher) -> str:
    """What a bare text is the argument of: the one tool a matcher names, else the shell."""
    tools = {pattern.tool for pattern in matcher.patterns}
    of_effects = any(pattern.effect for pattern in matcher.patterns)
    return tools.pop() if len(tools) == 1 and not of_effects else _SHELL


def _main_call(tool: str, argument: str, tools: ToolTable) -> ToolCall:
    spec = tools.spec(tool)
    if spec is None or spec.main is None:
        raise ValueError(f"the main argument of `{tool}` is not known; write `{{tool: {tool}, input: …}}`")
    return ToolCall(name=tool, input={spec.main: argument})
