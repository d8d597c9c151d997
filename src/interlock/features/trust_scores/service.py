"""How far actors are trusted, followed in the daemon."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.features.trust_scores.api import Scores
from interlock.features.trust_scores.indexer import ScoreIndexer


class TrustScores:
    """Keeps scores up to date once a hook asks for one."""

    def __init__(self, context: DaemonContext) -> None:
        policies, ledger = context.policies, context.ledger
        self._scores: Final = ScoreIndexer(context.places.database)
        self._scores.begin(lambda folder: policies.for_folder(folder).root)
        self._ledger: Final = ledger

    def hook_services(self) -> Mapping[type[Any], object]:
        """The scores."""
        return {Scores: self._scores}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Following the ledger."""
        return (self._scores.run(lambda: self._ledger.head.seq),)
