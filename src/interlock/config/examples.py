"""A hook's examples are its own test, run whenever its file is loaded."""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from interlock.config.findings import Findings
from interlock.config.genesis import ExampleCall, Examples
from interlock.config.node import Path
from interlock.event import Event
from interlock.hooks import Matcher
from interlock.patterns.book import PatternBook
from interlock.patterns.sight import CallSight
from interlock.standard_tools import STANDARD_TOOLS
from interlock.tool import ToolCall, ToolTable

# Paths in examples are read as if the project stood here.
_PROJECT: Final = "/project"


def check_examples(
    examples: Examples,
    matcher: Matcher,
    path: Path,
    findings: Findings,
    *,
    every_part: bool,
    tools: ToolTable = STANDARD_TOOLS,
) -> None:
    """Note every example that the matcher treats otherwise than it says."""
    book = PatternBook(matcher.patterns, tools)
    for key, wanted in (("match", True), ("no_match", False)):
        listed: list[str | ExampleCall] = getattr(examples, key)
        for index, example in enumerate(listed):
            place = (*path, key, index)
            call = findings.attempt(place, _call, example, matcher, tools)
            if call is None:
                continue
            event = Event(name="PreToolUse", cwd=_PROJECT, tool=call)
            if matcher.fires(CallSight(event, book), every_part=every_part) is not wanted:
                verb = "is not matched by" if wanted else "is matched by"
                shown = example if isinstance(example, str) else call.name
                message = f"the example `{shown}` {verb} `{matcher.text}`; correct the matcher or the example"
                findings.problem(place, message)


def _call(example: str | ExampleCall, matcher: Matcher, tools: ToolTable) -> ToolCall:
    if isinstance(example, str):
        return _main_call(_single_tool(matcher), example, tools)
    if example.args is not UNSET and example.input is not UNSET:
        raise ValueError("an example has `input` or `args`; keep one of them")
    if example.args is not UNSET:
        return _main_call(example.tool, example.args, tools)
    return ToolCall(name=example.tool, input=example.input or {})


def _single_tool(matcher: Matcher) -> str:
    named = {pattern.tool for pattern in matcher.patterns}
    if len(named) != 1:
        raise ValueError(f"`{matcher.text}` speaks of no single tool; write `{{tool: NAME, args: TEXT}}`")
    return named.pop()


def _main_call(tool: str, argument: str, tools: ToolTable) -> ToolCall:
    spec = tools.spec(tool)
    if spec is None or spec.main is None:
        raise ValueError(f"the main argument of `{tool}` is not known; write `{{tool: {tool}, input: …}}`")
    return ToolCall(name=tool, input={spec.main: argument})
