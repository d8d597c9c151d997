"""Everything that gates need in the daemon, put together in one place."""

from __future__ import annotations

import sqlite3
from typing import Final

from interlock.approvals.work import WorkRequests
from interlock.builtin.lent import Lent
from interlock.builtin.memory import Memory
from interlock.builtin.workbook import WorkBook
from interlock.calls.book import CallBook
from interlock.commitments.commitments import Commitments
from interlock.config.trust import TrustList
from interlock.daemon.cancelling import Cancelling
from interlock.daemon.grounding import Grounding
from interlock.daemon.places import Places
from interlock.daemon.policies import Policies
from interlock.daemon.remedying import Remedying
from interlock.daemon.reviewing import Reviewing
from interlock.daemon.scoring import Scoring
from interlock.daemon.stops import Stops
from interlock.daemon.transcript_window import TranscriptWindow
from interlock.ledger.writer import LedgerWriter
from interlock.store.cancellations import CancellationsInStore
from interlock.store.rounds import RoundsInStore


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
