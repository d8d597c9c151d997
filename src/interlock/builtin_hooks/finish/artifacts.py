"""`artifacts`: a sub-agent ends with the files it was there for, and the main agent hears what came of it."""

from __future__ import annotations

import fnmatch
import time
from typing import Annotated, Any, Final, final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.build_context import Making
from interlock.builtin_hooks.finish.artifact_report import Expected, report_of, sent_back
from interlock.builtin_hooks.kind import Builtin, OptionRule
from interlock.builtin_hooks.state import Memory, MemoryInProcess
from interlock.events.event import Event
from interlock.events.hook import Handler, OnFailure, Sight
from interlock.events.names import EventName
from interlock.events.verdict import NO_OPINION, Verdict, deny

_KEPT: Final = 32  # sub-agents of a session whose beginning is remembered
_SLACK: Final = 2.0  # seconds; file systems keep time roughly


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who leaves what behind."""

    expect: Annotated[
        tuple[Expected, ...], Meta(description="The first that means the kind of a sub-agent counts.")
    ]
    block: Annotated[
        bool, Meta(description="false: the sub-agent may end without them; only the main agent hears of it.")
    ] = True
    fresh: Annotated[bool, Meta(description="false: files from before the sub-agent began count too.")] = True


@final
class Artifacts(OptionRule):
    """Sends a sub-agent back once, and tells the main agent at the next moment it listens."""

    kind: Final = "artifacts"

    def __init__(self, options: Options, making: Making) -> None:
        super().__init__(options)
        self._of: Final = options
        self._name: Final = making.name
        memory = making.lent.memory
        self._memory: Final[Memory] = MemoryInProcess() if making.trial or memory is None else memory

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        event = sight.event
        if event.name == EventName.SUBAGENT_STOP:
            return self._stop(event)
        if event.name == EventName.SUBAGENT_START:
            self._note(event)
            return NO_OPINION
        return NO_OPINION if event.agent_id else self._tell(event)

    def _note(self, event: Event) -> None:
        """Remember when a sub-agent began."""
        if event.agent_id is None or self._expected(event) is None:
            return
        kept = self._memory.get(event.session_id, self._name)
        begun = {**kept.get("begun", {}), event.agent_id: time.time()}
        kept["begun"] = dict(list(begun.items())[-_KEPT:])
        self._memory.put(event.session_id, self._name, kept)

    def _tell(self, event: Event) -> Verdict:
        """The main agent hears what came of those that ended since."""
        kept = self._memory.get(event.session_id, self._name)
        told: list[str] = kept.pop("told", [])
        if not told:
            return NO_OPINION
        self._memory.put(event.session_id, self._name, kept)
        return Verdict(context="\n".join(told))

    def _stop(self, event: Event) -> Verdict:
        expected = self._expected(event)
        if expected is None:
            return NO_OPINION
        kept = self._memory.get(event.session_id, self._name)
        begun: dict[str, float] = kept.get("begun", {})
        since = begun.get(event.agent_id or "", 0.0) - _SLACK if self._of.fresh else 0.0
        report = report_of(expected, event.project or event.cwd, since)
        again = event.extra.get("stop_hook_active") is True
        if report.lacks and self._of.block and not again:
            return deny(sent_back(report))
        kind = event.agent_type or "the sub-agent"
        told = report.told(kind, expected)
        kept["told"] = [*kept.get("told", []), told][-_KEPT:]
        self._memory.put(event.session_id, self._name, kept)
        return Verdict(reason=told, message=f"artifacts: {told}" if report.lacks else None)

    def _expected(self, event: Event) -> Expected | None:
        kind = event.agent_type or ""
        return next(
            (one for one in self._of.expect if any(fnmatch.fnmatchcase(kind, glob) for glob in one.agents)),
            None,
        )


def make(options: Options, making: Making) -> Handler | None:
    """Make the hook; patterns mean files of the project."""
    for index, one in enumerate(options.expect):
        fields: dict[str, Any] = {"files": one.files, "partial": one.partial, "leftovers": one.leftovers}
        if not one.files:
            making.problem(("expect", index, "files"), "nothing is expected; name a file or a pattern")
            return None
        for field, patterns in fields.items():
            for place, pattern in enumerate(patterns):
                if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
                    text = f"`{pattern}` leads out of the project; write it from the project's folder"
                    making.problem(("expect", index, field, place), text)
                    return None
    return Artifacts(options, making)


BUILTIN: Final = Builtin(
    kind="artifacts",
    about="Checks that a sub-agent left the files it was there for, and tells the main agent.",
    options=Options,
    make=make,
    events=(EventName.SUBAGENT_STOP,),
    also=(
        EventName.SUBAGENT_STOP,
        EventName.SUBAGENT_START,
        EventName.POST_TOOL_USE,
        EventName.USER_PROMPT_SUBMIT,
    ),
    on_failure=OnFailure.OPEN,
    votes=True,
    tightens=True,
)
