"""`resource_check`: holds calls back while the disk, the memory or the processors are nearly used up."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, final

import msgspec

from interlock.effects.classification.classify import Classifier, SideEffect
from interlock.events.bounded_dict import BoundedDict
from interlock.events.hook import CallView, Pattern
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.verdict import NO_OPINION, Verdict, ask, deny
from interlock.patterns.matcher import parse_matcher
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, read_option

MB: Final = 1_000_000
_MEMINFO: Final = Path("/proc/meminfo")
_AVAILABLE: Final = re.compile(rb"^MemAvailable:\s+(\d+) kB", re.MULTILINE)
_SECONDS: Final = 1.0  # for this long one look is enough
_REMEMBERED: Final = 64  # folders


class FreeResources(NamedTuple):
    """In megabytes, and in waiting programs per processor; None where it cannot be measured."""

    disk: float | None
    memory: float | None
    load: float | None


class Machine:
    """Measures at most once a second for each folder."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock: Final = clock
        self._measured: Final[BoundedDict[str, tuple[float, FreeResources]]] = BoundedDict(_REMEMBERED)

    def measure(self, folder: str) -> FreeResources:
        """What is free; for the disk, where the folder lies."""
        now = self._clock()
        known = self._measured.get(folder)
        if known is None or now - known[0] >= _SECONDS:
            free = FreeResources(_free_disk(folder), _free_memory(), _load_per_cpu())
            known = self._measured[folder] = now, free
        return known[1]


def _free_disk(folder: str) -> float | None:
    """Free space for a plain user, without what is reserved for the system."""
    try:
        found = os.statvfs(folder)
    except (OSError, ValueError):
        return None
    return found.f_bavail * found.f_frsize / MB


def _free_memory() -> float | None:
    try:
        match = _AVAILABLE.search(_MEMINFO.read_bytes())
    except OSError:
        match = None
    if match is not None:
        return int(match[1]) * 1024 / MB
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / MB
    except (OSError, ValueError):
        return None


def _load_per_cpu() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


# Commands that free space must run when there is none.
FREEING: Final = (
    *("Bash(rm *)", "Bash(rmdir *)", "Bash(unlink *)", "Bash(git gc*)", "Bash(git clean *)"),
    *("Bash(docker system prune*)", "Bash(docker image prune*)", "Bash(docker builder prune*)"),
    *("Bash(npm cache clean*)", "Bash(uv cache prune*)", "Bash(uv cache clean*)", "Bash(pip cache purge*)"),
    *("Bash(cargo clean*)", "Bash(make clean*)", "Bash(go clean*)", "Bash(kill *)", "Bash(pkill *)"),
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much must be free, and what happens if it is not."""

    disk_mb: Annotated[float, about("Free megabytes on the project's disk; 0: not checked.", ge=0)] = 500
    memory_mb: Annotated[float, about("Free megabytes of memory; 0: not checked.", ge=0)] = 200
    load: Annotated[float, about("The most programs waiting for each processor; 0: not checked.", ge=0)] = 0
    action: Annotated[
        Literal["deny", "ask", "tell"],
        about("ask: a person decides; tell: the call runs, and the agent is told."),
    ] = "deny"
    let: Annotated[tuple[Text, ...], about("Calls that always run, since they free space.")] = FREEING


@final
class ResourceCheck(OptionRule):
    """Holds calls that change something while too little is free; calls that only read pass."""

    kind: Final = "resource_check"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        if not (options.disk_mb or options.memory_mb or options.load):
            raise OptionError("disk_mb", "nothing is checked; write a number above 0")
        self._let: Final = [
            read_option(("let", at), parse_matcher, text) for at, text in enumerate(options.let)
        ]
        self._patterns: Final = [pattern for matcher in self._let for pattern in matcher.patterns]
        self._classifier: Final[Classifier] = context.classifier()
        self._machine: Final = Machine()

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The patterns of the calls that always run."""
        return self._patterns

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        shortage = self._find_shortage(self._machine.measure(event.project or event.cwd or "/"))
        if shortage is None:
            return NO_OPINION
        if self._options.action == "tell" or event.tool is None:
            return Verdict(context=f"{shortage} before you start anything big")
        if self._classifier.classify(event.tool, view).effect is SideEffect.READ_ONLY:
            return NO_OPINION
        if any(matcher.fires(view, every_part=True) for matcher in self._let):
            return NO_OPINION
        reason = f"{shortage}, then try again"
        return ask(reason) if self._options.action == "ask" else deny(reason)

    def _find_shortage(self, free: FreeResources) -> str | None:
        """What there is too little of, and what to do about it."""
        limits = self._options
        if limits.disk_mb and free.disk is not None and free.disk < limits.disk_mb:
            lack = f"the disk has {free.disk:.0f} MB left, and {limits.disk_mb:g} MB is required"
            return f"{lack}; free some space with `rm` or a `prune`"
        if limits.memory_mb and free.memory is not None and free.memory < limits.memory_mb:
            lack = f"{free.memory:.0f} MB of memory is free, and {limits.memory_mb:g} MB is required"
            return f"{lack}; stop a program that you started"
        if limits.load and free.load is not None and free.load > limits.load:
            lack = f"{free.load:.1f} programs wait for each processor, and the limit is {limits.load:g}"
            return f"{lack}; let the running programs finish"
        return None


BUILTIN: Final = Builtin(
    kind="resource_check",
    about="Holds calls that change something while the disk or memory is nearly full.",
    options=Options,
    make=ResourceCheck,
    events=(EventName.PRE_TOOL_USE, EventName.SESSION_START),
    votes=False,
    tightens=True,
)
