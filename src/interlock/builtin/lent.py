"""What hooks are lent by whoever loads them: hooks never touch the store themselves."""

from __future__ import annotations

from dataclasses import dataclass

from interlock.builtin.ground import Ground
from interlock.builtin.reviews import Reviews
from interlock.builtin.rounds import Rounds
from interlock.builtin.scores import Scores
from interlock.calls.book import CallBook


@dataclass(frozen=True, kw_only=True)
class Lent:
    """Each may be missing, as in a Python agent's own engine; every hook says what it does then."""

    reviews: Reviews | None = None
    rounds: Rounds | None = None
    ground: Ground | None = None
    scores: Scores | None = None
    calls: CallBook | None = None  # where calls are recorded


NOTHING_LENT = Lent()
