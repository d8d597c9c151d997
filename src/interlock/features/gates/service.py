"""Everything that gates need in the daemon, put together in one place."""

from __future__ import annotations

import sqlite3
from typing import Final

from interlock.builtin_hooks.loops.context_window import Window
from interlock.builtin_hooks.state import Memory
from interlock.daemon.paths import Places
from interlock.daemon.policy_loader import Policies
from interlock.daemon.stop_counts_table import RoundsInStore
from interlock.daemon.stop_limit import Stops
from interlock.effects.classification.book import CallBook
from interlock.engine.stop_counts import Rounds
from interlock.features.approvals.work import WorkRequests
from interlock.features.commitments.commitments import Commitments
from interlock.features.gates.cancellation_hook import Cancellations, cancellation
from interlock.features.gates.cancellations_table import CancellationsInStore
from interlock.features.gates.cancelled_sessions import Cancelling
from interlock.features.gates.project_state import Grounding
from interlock.features.gates.project_state_api import Ground
from interlock.features.gates.review_api import Reviews
from interlock.features.gates.review_requests import Reviewing
from interlock.features.remedies.api import Remedies
from interlock.features.remedies.indexer import RemedyIndexer
from interlock.features.trust_scores.api import Scores
from interlock.features.trust_scores.indexer import ScoreIndexer
from interlock.features.work.api import WorkBook
from interlock.features.work.context_usage import TranscriptWindow
from interlock.ledger.writer import LedgerWriter
from interlock.policy.hook_services import HookServices
from interlock.policy.trust.trust import TrustList


class GateDesk:
    """HookServices to hooks when policies are loaded, and given the rooms it asks once they are there."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: LedgerWriter, places: Places, trust: TrustList
    ) -> None:
        self.rounds: Final = RoundsInStore(connection)
        self.cancelling: Final = Cancelling(CancellationsInStore(connection), ledger)
        self.stops: Final = Stops(self.rounds)
        self.reviews: Final = Reviewing()
        self.ground: Final = Grounding(trust)
        self.scores: Final = ScoreIndexer(places.database)
        self.remedies: Final = RemedyIndexer(places.database)

    def services(self, calls: CallBook, memory: Memory, work: WorkBook) -> HookServices:
        """Everything hooks may ask while they run."""
        return HookServices(
            {
                CallBook: calls,
                Memory: memory,
                WorkBook: work,
                Cancellations: self.cancelling,
                Reviews: self.reviews,
                Rounds: self.rounds,
                Ground: self.ground,
                Scores: self.scores,
                Remedies: self.remedies,
                Window: TranscriptWindow(),
            },
            standing=[cancellation(self.cancelling)],
        )

    def begin(self, policies: Policies, requests: WorkRequests, commitments: Commitments) -> None:
        """From now on gates can ask."""
        self.reviews.begin(policies, requests, commitments)
        self.ground.begin(policies, commitments, self.reviews)
        self.scores.begin(lambda folder: policies.for_folder(folder).root)
        self.remedies.begin(lambda folder: policies.for_folder(folder).root)
