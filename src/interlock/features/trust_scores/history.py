"""What was observed of each actor in each workspace, in sums by the day, and the score it makes now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from interlock.features.trust_scores.api import NEUTRAL, WEIGHTS, Factor, Score
from interlock.features.trust_scores.observing import Observation

HALF_LIFE_DAYS: Final = 90.0
_DAY: Final = 86_400.0
# A few observations prove little: every factor begins as if it had been seen so often, neither good nor bad.
_PRIOR: Final = 4.0
_LISTED: Final = 5
_BAD: Final = 0.5


class _Seen:
    """One factor of one actor."""

    __slots__ = ("against", "count", "days", "entries")

    def __init__(self) -> None:
        self.days: Final[dict[int, list[float]]] = {}  # day → sum of values, how many
        self.entries: tuple[int, ...] = ()  # there may be one of these for every folder and actor
        self.against: tuple[int, ...] = ()
        self.count = 0

    def add(self, one: Observation) -> None:
        """Take one more into account."""
        sums = self.days.setdefault(int(one.at // _DAY), [0.0, 0.0])
        sums[0] += one.value
        sums[1] += 1
        self.count += 1
        self.entries = (*self.entries, one.seq)[-_LISTED:]
        if one.value < _BAD:
            self.against = (*self.against, one.seq)[-_LISTED:]

    def factor(self, name: str, weight: float, today: float) -> Factor:
        """The factor as it stands: what is old counts less."""
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
    """Everything observed so far."""

    def __init__(self) -> None:
        self._seen: Final[dict[tuple[str, str], dict[str, _Seen]]] = {}
        self._newest: Final[dict[tuple[str, str], float]] = {}

    def add(self, observations: Iterable[Observation]) -> None:
        """Take more into account."""
        for one in observations:
            key = (one.workspace, one.actor)
            self._seen.setdefault(key, {}).setdefault(one.factor, _Seen()).add(one)
            self._newest[key] = max(one.at, self._newest.get(key, 0.0))

    def actors(self, workspace: str) -> list[str]:
        """Who was seen there."""
        return sorted(actor for place, actor in self._seen if place == workspace)

    def score(self, actor: str, workspace: str, now: float, weights: Mapping[str, float] = WEIGHTS) -> Score:
        """The score of an actor at a time; neutral when nothing is recorded."""
        key = (workspace, actor)
        seen = self._seen.get(key)
        if not seen:
            return Score()
        nothing = _Seen()
        factors = tuple(seen.get(name, nothing).factor(name, weights[name], now / _DAY) for name in WEIGHTS)
        age = max(0.0, (now - self._newest[key]) / _DAY)
        value = sum(factor.value * factor.weight for factor in factors) * decay(age)
        return Score(value=value, factors=factors, age_days=age, decay=decay(age))


def decay(days: float) -> float:
    """How much something counts after so many days: half after ninety."""
    return float(2.0 ** (-max(0.0, days) / HALF_LIFE_DAYS))
