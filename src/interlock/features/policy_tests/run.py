"""Running policy tests: each case is one event, decided for real and compared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from interlock.cli.words import moment, tool_call
from interlock.engine.engine import Engine
from interlock.errors import ConfigError, Problem
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.names import parse_event_name
from interlock.events.tool import ToolCall
from interlock.events.verdict import Outcome, Vote
from interlock.policy.files.document import Document, Findings
from interlock.policy.files.read import FileKind, document_of, read_bytes
from interlock.policy.files.validate import build_record
from interlock.policy.files.words import hint
from interlock.policy.format.entry import Text, about
from interlock.policy.policy import Policy

Expected = Literal["allow", "deny", "ask", "pass"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class Defaults(_Part, frozen=True, kw_only=True):
    """What holds for every case of a file that does not say otherwise."""

    event: Text | UnsetType = UNSET
    tool: Text | UnsetType = UNSET
    actor: Text | UnsetType = UNSET
    cwd: Text | UnsetType = UNSET


class Case(_Part, frozen=True, kw_only=True):
    """One call and what must become of it."""

    name: Text | UnsetType = UNSET
    event: Text | UnsetType = UNSET
    tool: Text | UnsetType = UNSET
    args: Annotated[str, about("The tool's main argument.")] | UnsetType = UNSET
    input: Annotated[dict[str, Any], about("The tool's whole input.")] | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    actor: Text | UnsetType = UNSET
    cwd: Text | UnsetType = UNSET
    expect: Annotated[Expected, about("pass: no rule applies.")]
    rule: Annotated[Text, about("The hook that decides.")] | UnsetType = UNSET
    reason: Annotated[Text, about("A part of the reason.")] | UnsetType = UNSET


class TestFile(_Part, frozen=True, kw_only=True):
    """Cases, and the policy they are about."""

    __test__ = False  # for pytest: a record, no class of tests

    policy: Annotated[
        Text | list[Text], about("Policy files, relative to this file's folder; only they are loaded.")
    ] = []
    defaults: Defaults = Defaults()
    cases: list[Case]


class LoadedTests(msgspec.Struct, frozen=True, kw_only=True):
    """A file whose shape is right, with its lines."""

    path: Path
    document: Document
    record: TestFile

    def line(self, index: int) -> int:
        """The line a case begins on."""
        return self.document.at(("cases", index)).line

    def title(self, index: int) -> str:
        """A case as people call it: by its name, or by what it does."""
        case, given = self.record.cases[index], self.record.defaults
        if case.name:
            return case.name
        tool = case.tool or given.tool or case.event or given.event or "prompt"
        what = case.args or (msgspec.json.encode(case.input).decode() if case.input else case.prompt) or ""
        return f"{tool} {what}".strip()


def load_tests(path: Path) -> LoadedTests:
    """Read one file; raise ConfigError with every mistake in it, its line and the nearest word."""
    try:
        document = document_of(read_bytes(path), path, FileKind.GENESIS)
    except ConfigError as error:
        empty = "empty file of tests; start it with `cases:`"  # the reader speaks of policies
        raise ConfigError(
            tuple(
                Problem(file=str(path), line=problem.line, path=problem.path, message=empty)
                if problem.message.startswith("empty policy file")
                else problem
                for problem in error.problems
            )
        ) from error
    record = build_record(document, TestFile)
    findings = Findings(document)
    for index, case in enumerate(record.cases):
        _check(case, record.defaults, ("cases", index), findings)
    if not record.cases:
        findings.problem(
            ("cases",), "there are no cases; add one, such as `{tool: Bash, args: ls, expect: allow}`"
        )
    if findings.problems:
        raise ConfigError(tuple(findings.problems))
    return LoadedTests(path=path, document=document, record=record)


def _check(case: Case, given: Defaults, path: tuple[str | int, ...], findings: Findings) -> None:
    if case.args is not UNSET and case.input is not UNSET:
        findings.problem((*path, "input"), "`args` and `input` both set the tool's input; keep one of them")
    event = case.event or given.event
    if event:
        findings.attempt((*path, "event"), parse_event_name, event)
    if case.prompt is UNSET and not (case.tool or given.tool or event):
        findings.problem(path, "nothing happens in this case; add `tool` with `args` or `input`, or `prompt`")


SESSION = "test"
_FAILED = frozenset({Outcome.ERROR, Outcome.TIMEOUT})


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A file of tests with the policy it is about."""

    tests: LoadedTests
    policy: Policy


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one case."""

    file: str
    line: int
    name: str
    call: str
    expected: dict[str, str]
    actual: dict[str, str | None]
    failures: tuple[str, ...]  # what differs, in words; empty: the case passed
    trace: tuple[str, ...]  # the rules that voted or failed, a line each
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.failures


def check_rules(plan: Plan) -> None:
    """A rule that a case names must be there; a test of a rule nobody has would pass or fail for nothing."""
    names = list(dict.fromkeys(hook.name for hook in plan.policy.pipeline))
    problems: list[Problem] = []
    for index, case in enumerate(plan.tests.record.cases):
        if case.rule and case.rule not in names:
            message = f"the policy has no rule `{case.rule}`; {hint(case.rule, names)}"
            problems.append(plan.tests.document.problem(("cases", index, "rule"), message))
    if problems:
        raise ConfigError(tuple(problems))


def run_plans(plans: Sequence[Plan], folder: Path, environ: Mapping[str, str]) -> Iterator[Result]:
    """Decide every case in order, one result as soon as it is known."""
    # A runner, and not `decide_sync`: an interrupt waits until the hook under way has been ended.
    with asyncio.Runner() as runner:
        for plan in plans:
            engine = Engine(plan.policy.pipeline, revision=plan.policy.revision)
            for index in range(len(plan.tests.record.cases)):
                event = _event(plan, index, folder, environ)
                begun = time.monotonic()
                decision = runner.run(engine.decide(event))
                yield _result(plan, index, event, decision, time.monotonic() - begun)


def _event(plan: Plan, index: int, folder: Path, environ: Mapping[str, str]) -> Event:
    case, given = plan.tests.record.cases[index], plan.tests.record.defaults
    tool, prompt = _tool(case, given), case.prompt if case.prompt is not UNSET else None
    return Event(
        name=moment(
            case.event or given.event or None, tool.name if tool else None, prompt, None, hint="`tool`"
        ),
        # A session for each: what `once` remembers of one case is not there in the next.
        session_id=f"{SESSION}-{index}",
        cwd=str(folder / (case.cwd or given.cwd or "")),
        actor=case.actor or given.actor or plan.policy.actors.of_main(environ.get("INTERLOCK_ACTOR")),
        tool=tool,
        prompt=prompt,
    )


def _tool(case: Case, given: Defaults) -> ToolCall | None:
    name = case.tool or given.tool
    if not name or case.prompt is not UNSET:
        return None
    if case.args is not UNSET:
        return tool_call(name, case.args)
    return ToolCall(name=name, input=case.input or {})


def _result(plan: Plan, index: int, event: Event, decision: Decision, seconds: float) -> Result:
    case = plan.tests.record.cases[index]
    expected = {"decision": case.expect, "rule": case.rule or "", "reason": case.reason or ""}
    word = "pass" if decision.vote is Vote.ABSTAIN else decision.outcome
    spoke = [row for row in decision.trace if row.vote > Vote.ABSTAIN or row.outcome in _FAILED]
    return Result(
        file=str(plan.tests.path),
        line=plan.tests.line(index),
        name=plan.tests.title(index),
        call=_call(event),
        expected={key: text for key, text in expected.items() if text},
        actual={"decision": word, "rule": decision.decided_by, "reason": decision.reason},
        failures=tuple(_differences(case, decision, word)),
        trace=tuple(_line(row) for row in spoke) or ("no rule applied",),
        seconds=seconds,
    )


def _differences(case: Case, decision: Decision, word: str) -> Iterator[str]:
    by = f"`{decision.decided_by}`" if decision.decided_by else "no rule"
    # What no rule is about is allowed too.
    if case.expect not in {word, decision.outcome}:
        yield f"expected {case.expect}, got {word}"
    if case.rule and case.rule != decision.decided_by:
        yield f"expected it to be decided by `{case.rule}`, got {by}"
    if case.reason and case.reason not in (decision.reason or ""):
        yield f"expected a reason with `{case.reason}`, got `{decision.reason or ''}`"


def _call(event: Event) -> str:
    text: Any = event.prompt or ""
    if event.tool is not None:
        values = list(event.tool.input.values())
        plain = len(values) == 1 and isinstance(values[0], str)
        text = values[0] if plain else msgspec.json.encode(event.tool.input).decode()
    return f"{event.tool.name if event.tool else event.name} {text}".strip()


def _line(row: TraceRow) -> str:
    reason = f": {row.reason}" if row.reason else ""
    return f"{row.vote} {row.hook} ({row.source}){reason}"
