"""Trust scores: what the ledger shows of each actor in each workspace, and the score that follows."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.ledger_follower import LedgerFollower
from interlock.events.bounded_dict import BoundedDict
from interlock.events.names import EventName
from interlock.ledger.entry import Entry

NEUTRAL: Final = 0.5  # of an actor without records
WEIGHTS: Final[Mapping[str, float]] = {
    "exit_code": 0.20,
    "test_pass_rate": 0.20,
    "context_utilization": 0.20,
    "loop_complete": 0.15,
    "duration_reasonable": 0.10,
    "no_errors": 0.10,
    "evidence_depth": 0.05,
}
_EXACT: Final = 1e-9


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a score, with its sources."""

    name: str
    value: float  # 0 to 1
    weight: float
    observations: int = 0
    entries: tuple[int, ...] = ()  # some of the entries observed, the newest last
    against: tuple[int, ...] = ()  # some of the entries that speak against the actor


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """How far an actor is trusted now, and why."""

    value: float = NEUTRAL
    factors: tuple[Factor, ...] = ()  # none: nothing is recorded
    age_days: float = 0.0  # of the newest observation
    decay: float = 1.0

    @property
    def explained(self) -> str:
        """The factors in one line, for a trace."""
        if not self.factors:
            return "nothing is recorded about this actor here"
        parts = []
        for row in self.factors:
            seen = f"{row.observations} seen" if row.observations else "nothing seen"
            bad = f", against it {' '.join(f'#{seq}' for seq in row.against[-3:])}" if row.against else ""
            parts.append(f"{row.name} {row.value:.2f} of {row.weight:g} ({seen}{bad})")
        aged = f"; times {self.decay:.2f}, for {self.age_days:.0f} days idle" if self.age_days >= 1 else ""
        return ", ".join(parts) + aged


def check_weights(weights: Mapping[str, float]) -> None:
    """Raise ValueError unless there is one weight for each factor and they add up to 1."""
    for name in weights:
        if name not in WEIGHTS:
            raise ValueError(f"there is no factor `{name}`; the factors are {', '.join(WEIGHTS)}")
    missing = [name for name in WEIGHTS if name not in weights]
    if missing:
        raise ValueError(f"`{missing[0]}` has no weight; write all of {', '.join(WEIGHTS)}")
    low = [name for name, weight in weights.items() if not 0 <= weight <= 1]
    if low:
        raise ValueError(f"the weight of `{low[0]}` is not between 0 and 1; correct it")
    total = sum(weights.values())
    if abs(total - 1) > _EXACT:
        raise ValueError(f"the weights add up to {total:g}, not 1; correct one of them")


_SHORTEST, _LONGEST = 1.0, 3_600.0  # seconds of a reasonable turn
_DEEP: Final = 3  # pieces of evidence for the full value
_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
_HANDING_IN: Final = frozenset({"submit", "close"})
_PER_CENT: Final = 100.0
_MOST_SESSIONS: Final = 4_096
_TEST: Final = re.compile(
    r"\b(?:pytest|jest|vitest|tox|rspec|phpunit|ctest"
    r"|(?:npm|pnpm|yarn|bun)(?:\s+run)?\s+test|(?:cargo|go|mvn|gradle|dotnet|deno|swift)\s+test"
    r"|make\s+(?:test|check)|python3?\s+-m\s+unittest)\b"
)


class Observation(NamedTuple):
    workspace: str
    actor: str
    factor: str
    value: float
    at: float  # seconds since 1970
    seq: int


class _Body(msgspec.Struct):
    tool_input: Any = None
    extra: Any = None
    evidence: Any = None


class _Turn:
    """What a session has done since its last prompt."""

    __slots__ = ("failed", "started")

    def __init__(self, started: float | None) -> None:
        self.started: Final = started
        self.failed = False


class Observer:
    """Reads entries in order, and follows each turn from its prompt to its end."""

    def __init__(self) -> None:
        self._turns: Final[BoundedDict[str, _Turn]] = BoundedDict(_MOST_SESSIONS)

    def observed(self, entry: Entry) -> Iterator[Observation]:
        if entry.op != "decision" and entry.op not in _HANDING_IN:
            return
        at = _seconds_of(entry.ts)
        for factor, value in self._values(entry, at):
            yield Observation(entry.workspace, entry.actor, factor, value, at, entry.seq)

    def _values(self, entry: Entry, at: float) -> Iterator[tuple[str, float]]:
        if entry.op in _HANDING_IN:
            yield from _evidence(entry)
        elif entry.event == EventName.USER_PROMPT_SUBMIT:
            self._turns[entry.session_id or ""] = _Turn(at)
        elif entry.event in _AFTER:
            yield from self._call(entry)
        elif entry.event == EventName.STOP:
            yield from self._end(entry, at)
        elif entry.event == EventName.STATUS_LINE:
            yield from _context(entry)

    def _call(self, entry: Entry) -> Iterator[tuple[str, float]]:
        good = entry.event == EventName.POST_TOOL_USE
        seen = entry.body_as(_Body) or _Body()
        if not good and isinstance(seen.extra, dict) and seen.extra.get("is_interrupt") is True:
            return  # a person stopped it, which says nothing about the actor
        if not good:
            self._turns.setdefault(entry.session_id or "", _Turn(None)).failed = True
        if entry.tool != "Bash":
            return
        yield "exit_code", float(good)
        command = seen.tool_input.get("command") if isinstance(seen.tool_input, dict) else None
        if isinstance(command, str) and _TEST.search(command):
            yield "test_pass_rate", float(good)

    def _end(self, entry: Entry, at: float) -> Iterator[tuple[str, float]]:
        turn = self._turns.get(entry.session_id or "") or _Turn(None)
        sent_back = entry.decision == "deny"
        yield "loop_complete", float(not sent_back)
        yield "no_errors", float(not sent_back and not turn.failed)
        if not sent_back:
            self._turns.pop(entry.session_id or "", None)
            if turn.started is not None:
                yield "duration_reasonable", float(_SHORTEST <= at - turn.started <= _LONGEST)


def _evidence(entry: Entry) -> Iterator[tuple[str, float]]:
    found = (entry.body_as(_Body) or _Body()).evidence
    if found is not None:
        count = len(found) if isinstance(found, list) else 1
        yield "evidence_depth", min(1.0, count / _DEEP)


def _context(entry: Entry) -> Iterator[tuple[str, float]]:
    """How much of its context is left, where the host reports it."""
    extra = (entry.body_as(_Body) or _Body()).extra
    window = extra.get("context_window") if isinstance(extra, dict) else None
    used = window.get("used_percentage") if isinstance(window, dict) else None
    if isinstance(used, int | float) and 0 <= used <= _PER_CENT:
        yield "context_utilization", 1.0 - used / _PER_CENT


def _seconds_of(ts: str) -> float:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError:
        return 0.0


HALF_LIFE_DAYS: Final = 90.0
_DAY: Final = 86_400.0
# A few observations prove little, so every factor starts with this many neutral ones.
_PRIOR: Final = 4.0
_LISTED: Final = 5
_BAD: Final = 0.5


class _FactorSums:
    __slots__ = ("against", "count", "days", "entries")

    def __init__(self) -> None:
        self.days: Final[dict[int, list[float]]] = {}  # day → sum of values, how many
        self.entries: tuple[int, ...] = ()
        self.against: tuple[int, ...] = ()
        self.count = 0

    def add(self, observation: Observation) -> None:
        sums = self.days.setdefault(int(observation.at // _DAY), [0.0, 0.0])
        sums[0] += observation.value
        sums[1] += 1
        self.count += 1
        self.entries = (*self.entries, observation.seq)[-_LISTED:]
        if observation.value < _BAD:
            self.against = (*self.against, observation.seq)[-_LISTED:]

    def factor(self, name: str, weight: float, today: float) -> Factor:
        """Return the factor now; old observations count less."""
        good, weighed = _PRIOR * NEUTRAL, _PRIOR
        for day, (total, count) in self.days.items():
            fresh = decay(today - day)
            good += fresh * total
            weighed += fresh * count
        return Factor(
            name=name,
            value=good / weighed,
            weight=weight,
            observations=self.count,
            entries=self.entries,
            against=self.against,
        )


class History:
    def __init__(self) -> None:
        self._seen: Final[dict[tuple[str, str], dict[str, _FactorSums]]] = {}
        self._newest: Final[dict[tuple[str, str], float]] = {}

    def add(self, observations: Iterable[Observation]) -> None:
        for observation in observations:
            key = (observation.workspace, observation.actor)
            self._seen.setdefault(key, {}).setdefault(observation.factor, _FactorSums()).add(observation)
            self._newest[key] = max(observation.at, self._newest.get(key, 0.0))

    def actors(self, workspace: str) -> list[str]:
        return sorted(actor for place, actor in self._seen if place == workspace)

    def score(self, actor: str, workspace: str, now: float, weights: Mapping[str, float] = WEIGHTS) -> Score:
        """Return the score at a time; neutral if nothing is recorded."""
        key = (workspace, actor)
        seen = self._seen.get(key)
        if not seen:
            return Score()
        nothing = _FactorSums()
        factors = tuple(seen.get(name, nothing).factor(name, weights[name], now / _DAY) for name in WEIGHTS)
        age = max(0.0, (now - self._newest[key]) / _DAY)
        value = sum(factor.value * factor.weight for factor in factors) * decay(age)
        return Score(value=value, factors=factors, age_days=age, decay=decay(age))


def decay(days: float) -> float:
    """Return how much something counts after this many days: half after ninety."""
    return float(2.0 ** (-max(0.0, days) / HALF_LIFE_DAYS))


_MOST: Final = 4_096  # scores and folders remembered
_MINUTE: Final = 60.0
_Key = tuple[str, str, tuple[float, ...]]  # actor, workspace, weights


class Scores(LedgerFollower[list[Observation]]):
    """Computed in the background from when a hook first asks; neutral until the ledger has been read."""

    trouble = "scores are not kept up to date"

    def __init__(self, context: DaemonContext) -> None:
        super().__init__(context)
        self._history: Final = History()
        self._observer: Final = Observer()
        self._roots: Final[BoundedDict[str, str]] = BoundedDict(_MOST)
        self._known: Final[BoundedDict[_Key, tuple[float, Score]]] = BoundedDict(_MOST)

    def score(self, actor: str, folder: str, weights: Mapping[str, float]) -> Score:
        """The score of an actor in the workspace of a folder."""
        self._wanted = True
        if not self._complete:
            return Score()
        workspace = self._roots.get(folder)
        if workspace is None:
            workspace = self._roots[folder] = self.workspace_of(folder)
        key = (actor, workspace, tuple(weights.values()))
        now = time.time()
        known = self._known.get(key)
        if known is not None and now - known[0] < _MINUTE:
            return known[1]
        score = self._history.score(actor, workspace, now, weights)
        self._known[key] = (now, score)
        return score

    def read(self, entries: Sequence[Entry]) -> list[Observation]:
        return [observation for entry in entries for observation in self._observer.observed(entry)]

    def add(self, found: list[Observation]) -> None:
        """Add what was found, and forget the scores computed before."""
        self._history.add(found)
        self._known.clear()
