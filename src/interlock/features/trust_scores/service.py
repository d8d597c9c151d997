"""Keeps the trust scores of actors up to date in the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.features.trust_scores.scores import History, Observation, Observer, Score, Scores
from interlock.ledger.entry import Entry
from interlock.ledger.follower import LedgerFollower

_MOST: Final = 4_096
_MINUTE: Final = 60.0

Key = tuple[str, str, tuple[float, ...]]


class ScoreIndexer(LedgerFollower[list[Observation]]):
    """Starts when a hook first asks; scores are neutral until it has read the ledger."""

    trouble = "scores are not kept up to date"

    def __init__(self, database: Path, clock: Callable[[], float] = time.time) -> None:
        super().__init__(database)
        self._clock: Final = clock
        self._history: Final = History()
        self._observer: Final = Observer()
        self._roots: Final[dict[str, str]] = {}
        self._known: Final[dict[Key, tuple[float, Score]]] = {}

    def score(self, actor: str, folder: str, weights: Mapping[str, float]) -> Score:
        self._wanted = True
        if not self._complete:
            return Score()
        workspace = self._roots.get(folder)
        if workspace is None:
            if len(self._roots) >= _MOST:
                self._roots.clear()
            workspace = self._roots[folder] = self._root(folder)
        key = (actor, workspace, tuple(weights.values()))
        now = self._clock()
        known = self._known.get(key)
        if known is not None and now - known[0] < _MINUTE:
            return known[1]
        score = self._history.score(actor, workspace, now, weights)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = (now, score)
        return score

    def read(self, entries: Sequence[Entry]) -> list[Observation]:
        return [one for entry in entries for one in self._observer.observed(entry)]

    def add(self, found: list[Observation]) -> None:
        """Add what was found, and forget the scores computed before."""
        self._history.add(found)
        self._known.clear()


class TrustScores:
    def __init__(self, context: DaemonContext) -> None:
        policies, ledger = context.policies, context.ledger
        self._scores: Final = ScoreIndexer(context.places.database)
        self._scores.begin(lambda folder: policies.for_folder(folder).root)
        self._ledger: Final = ledger

    def hook_services(self) -> Mapping[type[Any], object]:
        return {Scores: self._scores}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        return (self._scores.run(lambda: self._ledger.head.seq),)
