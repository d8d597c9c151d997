"""What worked after errors, gathered in the daemon."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.features.remedies.api import Remedies
from interlock.features.remedies.indexer import RemedyIndexer


class RemedyService:
    """Gathers once a hook asks for it."""

    def __init__(self, context: DaemonContext) -> None:
        policies, ledger = context.policies, context.ledger
        self._remedies: Final = RemedyIndexer(context.places.database)
        self._remedies.begin(lambda folder: policies.for_folder(folder).root)
        self._ledger: Final = ledger

    def hook_services(self) -> Mapping[type[Any], object]:
        """What helped."""
        return {Remedies: self._remedies}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Following the ledger."""
        return (self._remedies.run(lambda: self._ledger.head.seq),)
