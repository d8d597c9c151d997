"""The shape of policy tests, written once, and how a file of them is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.errors import ConfigError, Problem
from interlock.events.names import parse_event_name
from interlock.policy.files.node import Document
from interlock.policy.files.problems import Findings
from interlock.policy.files.read import FileKind, document_of, read_bytes
from interlock.policy.files.validate import shaped
from interlock.policy.format.entry import Text

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
    args: Annotated[str, Meta(description="The tool's main argument.")] | UnsetType = UNSET
    input: Annotated[dict[str, Any], Meta(description="The tool's whole input.")] | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    actor: Text | UnsetType = UNSET
    cwd: Text | UnsetType = UNSET
    expect: Annotated[Expected, Meta(description="pass: no rule has anything to say.")]
    rule: Annotated[Text, Meta(description="The hook that decides.")] | UnsetType = UNSET
    reason: Annotated[Text, Meta(description="A part of the reason.")] | UnsetType = UNSET


class TestFile(_Part, frozen=True, kw_only=True):
    """Cases, and the policy they are about."""

    __test__ = False  # for pytest: a record, no class of tests

    policy: Annotated[
        Text | list[Text], Meta(description="Policy files, from this file's folder; only they are loaded.")
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
        raise _about_tests(error, path) from error
    record = shaped(document, TestFile)
    findings = Findings(document)
    for index, case in enumerate(record.cases):
        _check(case, record.defaults, ("cases", index), findings)
    if not record.cases:
        findings.problem(
            ("cases",), "there are no cases; add one, as in `{tool: Bash, args: ls, expect: allow}`"
        )
    if findings.problems:
        raise ConfigError(tuple(findings.problems))
    return LoadedTests(path=path, document=document, record=record)


def _check(case: Case, given: Defaults, path: tuple[str | int, ...], findings: Findings) -> None:
    if case.args is not UNSET and case.input is not UNSET:
        findings.problem((*path, "input"), "`args` and `input` both give the tool's input; keep one of them")
    event = case.event or given.event
    if event:
        findings.attempt((*path, "event"), parse_event_name, event)
    if case.prompt is UNSET and not (case.tool or given.tool or event):
        findings.problem(path, "nothing happens in this case; add `tool` with `args` or `input`, or `prompt`")


def _about_tests(error: ConfigError, path: Path) -> ConfigError:
    """The reader speaks of policies; an empty file of tests needs other words."""
    empty = "empty file of tests; start it with `cases:`"
    return ConfigError(
        tuple(
            Problem(file=str(path), line=one.line, path=one.path, message=empty)
            if one.message.startswith("empty policy file")
            else one
            for one in error.problems
        )
    )
