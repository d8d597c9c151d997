"""`evidence_capture` and `ledger_annotation`: record what a call did, and labels to find it by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, final

import msgspec

from interlock.builtin_hooks.calls.file_change import file_change
from interlock.builtin_hooks.git import project_head
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper, Rule
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Evidence, Verdict
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, compile_option

# How Claude Code reports the status of a command that failed.
_STATUS: Final = re.compile(r"Exit code (\d{1,3})\b")
_STATUS_FIELDS: Final = ("exit_code", "exitCode", "exit_status", "returncode", "return_code", "status")


def command_execution(view: CallView) -> tuple[JsonObject, dict[str, str]] | None:
    """The data, and the whole outputs; None for a call without a command."""
    event = view.event
    command = event.tool.input.get("command") if event.tool else None
    if command is None:
        return None
    answer = event.tool_output if isinstance(event.tool_output, dict) else {}
    data: JsonObject = {"command": command, "exit_status": _exit_status(event, answer)}
    if (milliseconds := event.extra.get("duration_ms")) is not None:
        data["duration_ms"] = milliseconds
    data["interrupted"] = _first_flag(answer.get("interrupted"), event.extra.get("is_interrupt"))
    outputs = {name: answer.get(name) for name in ("stdout", "stderr")}
    if isinstance(event.tool_output, str):
        outputs = {"stdout": event.tool_output}
    return data, {name: text for name, text in outputs.items() if isinstance(text, str)}


def _exit_status(event: Event, answer: JsonObject) -> int | None:
    """What the host reports. It is never guessed, for example from the lack of an error."""
    for name in _STATUS_FIELDS:
        value = answer.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    match = _STATUS.match(event.error or "")
    return int(match[1]) if match else None


def _first_flag(*values: Any) -> bool | None:
    """The first that is known."""
    return next((value for value in values if isinstance(value, bool)), None)


_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
# What is collected for some kinds of evidence; other calls leave none of that kind.
_COLLECTORS: Final[dict[str, Callable[[CallView], tuple[JsonObject, dict[str, str]] | None]]] = {
    "file_change": file_change,
    "command_execution": command_execution,
}


@final
class EvidenceCapture(Rule):
    """Records evidence of a call, also of one that failed. It never votes."""

    kind: Final = "evidence_capture"
    judges = False

    def __init__(
        self,
        kind: str,
        *,
        ledger: bool = True,
        data: Mapping[str, Any] | None = None,
        fields: Sequence[str] = (),
    ) -> None:
        self._kind: Final = kind
        self._ledger: Final = ledger
        self._data: Final = dict(data or {})
        self._fields: Final = tuple(fields)

    def fingerprint(self) -> Any:
        more = [self._data, list(self._fields)] if self._data or self._fields else []
        return [self._kind, self._ledger, *more]

    def run(self, view: CallView, seconds: float) -> Verdict:
        event, collect = view.event, _COLLECTORS.get(self._kind)
        found: tuple[JsonObject, dict[str, str]] | None = {}, {}
        if collect is not None:
            found = collect(view) if event.name in _AFTER else None
        if found is None:
            return NO_OPINION
        known, texts = found
        fields = event.tool.input if event.tool else {}
        selected = {name: fields[name] for name in self._fields if name in fields}
        failed = event.name == EventName.POST_TOOL_USE_FAILURE
        ending = {"failed": True, "error": event.error} if failed else {}
        data = {**self._data, **selected, **known, "actor": event.actor, **ending}
        return Verdict(evidence=Evidence(kind=self._kind, data=data, ledger=self._ledger, texts=texts))


class EvidenceConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What kind of evidence, and whether the ledger keeps it."""

    ledger: Annotated[bool, about("false: only in the decision's trace.")] = True
    kind: Annotated[
        Text, about("`file_change`, `command_execution`, or any word for `data` and `fields`.")
    ] = "tool_use"
    data: Annotated[dict[str, Any], about("Stored with every piece of evidence.")] = {}
    fields: Annotated[list[Text], about("Fields of the tool's input to store.")] = []


def _make(options: EvidenceConfig, _context: BuildContext) -> Handler:
    return EvidenceCapture(options.kind, ledger=options.ledger, data=options.data, fields=options.fields)


_Place = Literal["prompt", "call", "branch", "cwd", "error"]
_LOOKED_AT: Final = 16_384
_LONGEST: Final = 256  # characters of a match


class AnnotationOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is added to the ledger."""

    labels: Annotated[tuple[Text, ...], about("Words to find the entry by.")] = ()
    data: Annotated[dict[Text, Text], about("Facts that never change: a team, a machine.")] = {}
    take: Annotated[
        dict[Text, Text],
        about("By name: an RE2 pattern whose match (or group) is stored, such as `[A-Z]+-[0-9]+`."),
    ] = {}
    where: Annotated[
        tuple[_Place, ...], about("Where `take` looks; the first that has a match wins.", min_length=1)
    ] = ("prompt", "call", "branch")
    always: Annotated[bool, about("false: add an entry only when `take` found something.")] = True


@final
class LedgerAnnotation(Helper):
    """Adds one entry of evidence to its event. It never votes."""

    kind: Final = "ledger_annotation"
    _options: AnnotationOptions

    def __init__(self, options: AnnotationOptions, _: BuildContext) -> None:
        super().__init__(options)
        if not (options.labels or options.data or options.take):
            raise OptionError("labels", "there is nothing to add; set `labels`, `data` or `take`")
        self._patterns: Final = {
            name: compile_option(("take", name), text) for name, text in options.take.items()
        }

    def run(self, view: CallView, seconds: float) -> Verdict:
        matches, options = self._find_matches(view.event), self._options
        if self._patterns and not matches and not options.always:
            return NO_OPINION
        labels: JsonObject = {"labels": list(options.labels)} if options.labels else {}
        data = {**labels, **options.data, **matches}
        return Verdict(evidence=Evidence(kind="annotation", data=data)) if data else NO_OPINION

    def _find_matches(self, event: Event) -> JsonObject:
        found: JsonObject = {}
        for place in self._options.where if self._patterns else ():
            text = _PLACES[place](event)[:_LOOKED_AT]
            for name, pattern in self._patterns.items():
                match = pattern.search(text) if text and name not in found else None
                if match is not None:
                    value = match.group(1) if pattern.groups else match.group()
                    if value:
                        found[name] = value[:_LONGEST]
        return found


def _call_text(event: Event) -> str:
    if event.tool is None:
        return ""
    spec = STANDARD_TOOLS.spec(event.tool.name)
    main = event.tool.input.get(spec.main) if spec is not None and spec.main else None
    return main if isinstance(main, str) else msgspec.json.encode(event.tool.input).decode("utf-8", "replace")


def _branch(event: Event) -> str:
    """The branch of the project, read from its files: no program is run."""
    head = project_head(event.project or event.cwd) or {}
    return str(head.get("ref", "")).removeprefix("refs/heads/")


_PLACES: Final[dict[str, Callable[[Event], str]]] = {
    "prompt": lambda event: event.prompt or "",
    "call": _call_text,
    "branch": _branch,
    "cwd": lambda event: event.cwd,
    "error": lambda event: event.error or "",
}


EVIDENCE_CAPTURE: Final = Builtin(
    kind="evidence_capture",
    about="Records evidence of a call.",
    options=EvidenceConfig,
    make=_make,
    tightens=True,
)
LEDGER_ANNOTATION: Final = Builtin(
    kind="ledger_annotation",
    about="Adds labels and facts, such as a ticket number, to the ledger for a call.",
    options=AnnotationOptions,
    make=LedgerAnnotation,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
