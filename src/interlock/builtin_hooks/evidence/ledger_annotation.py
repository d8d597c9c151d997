"""`ledger_annotation`: labels and facts that people look entries up by, beside what is recorded anyway."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Literal, final

import msgspec

from interlock.builtin_hooks.git import project_head
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.rule import Helper
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Evidence, Verdict
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, compile_option

_Place = Literal["prompt", "call", "branch", "cwd", "error"]
_LOOKED_AT: Final = 16_384
_LONGEST: Final = 256  # of what a pattern takes


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is noted."""

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
    """Adds one entry of evidence to the moment it stands at; it never votes."""

    kind: Final = "ledger_annotation"
    _options: Options

    def __init__(self, options: Options, _: BuildContext) -> None:
        super().__init__(options)
        if not (options.labels or options.data or options.take):
            raise OptionError("labels", "there is nothing to add; set `labels`, `data` or `take`")
        self._patterns: Final = {
            name: compile_option(("take", name), text) for name, text in options.take.items()
        }

    def run(self, view: CallView, seconds: float) -> Verdict:
        taken, options = self._annotation(view.event), self._options
        if self._patterns and not taken and not options.always:
            return NO_OPINION
        labels: JsonObject = {"labels": list(options.labels)} if options.labels else {}
        data = {**labels, **options.data, **taken}
        return Verdict(evidence=Evidence(kind="annotation", data=data)) if data else NO_OPINION

    def _annotation(self, event: Event) -> JsonObject:
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
    """The branch the project is on, by its files: no program of the repository is asked."""
    head = project_head(event.project or event.cwd) or {}
    return str(head.get("ref", "")).removeprefix("refs/heads/")


_PLACES: Final[dict[str, Callable[[Event], str]]] = {
    "prompt": lambda event: event.prompt or "",
    "call": _call_text,
    "branch": _branch,
    "cwd": lambda event: event.cwd,
    "error": lambda event: event.error or "",
}


BUILTIN: Final = Builtin(
    kind="ledger_annotation",
    about="Adds labels and facts, such as a ticket number, to the ledger for a call.",
    options=Options,
    make=LedgerAnnotation,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
