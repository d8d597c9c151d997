"""How far an actor is trusted in a workspace: a number, and what it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

import msgspec

NEUTRAL: Final = 0.5  # of an actor nothing is recorded of
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
    """One part of a score, with where it comes from."""

    name: str
    value: float  # 0 to 1
    weight: float
    observations: int = 0
    entries: tuple[int, ...] = ()  # some of the entries it was observed in, the newest last
    against: tuple[int, ...] = ()  # some of those that speak against the actor


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledger says of an actor, at the moment it is asked."""

    value: float = NEUTRAL
    factors: tuple[Factor, ...] = ()  # none: nothing is recorded
    age_days: float = 0.0  # of the newest observation
    decay: float = 1.0

    @property
    def explained(self) -> str:
        """The factors in one line, for a trace."""
        if not self.factors:
            return "nothing is recorded about this actor here"
        parts = [_part(factor) for factor in self.factors]
        aged = f"; times {self.decay:.2f}, for {self.age_days:.0f} days idle" if self.age_days >= 1 else ""
        return ", ".join(parts) + aged


class Scores(Protocol):
    """Computed beside the work; asking is a look into a table."""

    def of(self, actor: str, folder: str, weights: Mapping[str, float]) -> Score:
        """The score of an actor in the workspace a folder belongs to."""


def check_weights(weights: Mapping[str, float]) -> None:
    """Raise ValueError unless there is one weight for each factor and they make one."""
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


def _part(factor: Factor) -> str:
    seen = f"{factor.observations} seen" if factor.observations else "nothing seen"
    bad = f", against it {' '.join(f'#{seq}' for seq in factor.against[-3:])}" if factor.against else ""
    return f"{factor.name} {factor.value:.2f} of {factor.weight:g} ({seen}{bad})"
