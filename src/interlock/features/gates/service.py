"""Everything that gates need in the daemon, put together in one place."""

from __future__ import annotations

import sqlite3
from typing import Final

from interlock.builtin_hooks.loops.context_usage import TranscriptWindow
from interlock.builtin_hooks.services import Lent
from interlock.builtin_hooks.state import Memory
from interlock.daemon.paths import Places
from interlock.daemon.policy_loader import Policies
from interlock.features.approvals.work import WorkRequests
from interlock.features.commitments.commitments import Commitments
from interlock.features.gates.cancellations_table import CancellationsInStore
from interlock.features.gates.cancelled_sessions import Cancelling
from interlock.features.gates.project_state import Grounding
from interlock.features.gates.review_requests import Reviewing
from interlock.features.gates.stop_counts_table import RoundsInStore
from interlock.features.gates.stop_limit import Stops
from interlock.features.receipts.classification.book import CallBook
from interlock.features.remedies.indexer import Remedying
from interlock.features.trust_scores.indexer import Scoring
from interlock.features.work.api import WorkBook
from interlock.ledger.writer import LedgerWriter
from interlock.policy.trust.trust import TrustList


class GateDesk:
    """Lent to hooks when policies are loaded, and given the rooms it asks once they are there."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: LedgerWriter, places: Places, trust: TrustList
    ) -> None:
        self.rounds: Final = RoundsInStore(connection)
        self.cancelling: Final = Cancelling(CancellationsInStore(connection), ledger)
        self.stops: Final = Stops(self.rounds, self.cancelling)
        self.reviews: Final = Reviewing()
        self.ground: Final = Grounding(trust)
        self.scores: Final = Scoring(places.database)
        self.remedies: Final = Remedying(places.database)

    def lent(self, calls: CallBook, memory: Memory, work: WorkBook) -> Lent:
        """Everything hooks may ask while they run."""
        return Lent(
            calls=calls,
            memory=memory,
            work=work,
            cancellations=self.cancelling,
            reviews=self.reviews,
            rounds=self.rounds,
            ground=self.ground,
            scores=self.scores,
            remedies=self.remedies,
            window=TranscriptWindow(),
        )

    def begin(self, policies: Policies, requests: WorkRequests, commitments: Commitments) -> None:
        """From now on gates can ask."""
        self.reviews.begin(policies, requests, commitments)
        self.ground.begin(policies, commitments, self.reviews)
        self.scores.begin(lambda folder: policies.for_folder(folder).root)
        self.remedies.begin(lambda folder: policies.for_folder(folder).root)
