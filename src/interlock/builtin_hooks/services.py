"""What hooks are lent by whoever loads them: hooks never touch the store themselves."""

from __future__ import annotations

import msgspec

from interlock.builtin_hooks.loops.context_window import Window
from interlock.builtin_hooks.model.settings import ModelPlace
from interlock.builtin_hooks.state import Memory
from interlock.features.gates.cancellation_hook import Cancellations
from interlock.features.gates.project_state_api import Ground
from interlock.features.gates.review_api import Reviews
from interlock.features.gates.stop_counts import Rounds
from interlock.features.notifications.api import Notices
from interlock.features.receipts.classification.book import CallBook
from interlock.features.remedies.api import Remedies
from interlock.features.session_reports.api import Flows
from interlock.features.trust_scores.api import Scores
from interlock.features.work.api import WorkBook
from interlock.redaction.redactor import KEYLESS, Redactor


class Lent(msgspec.Struct, frozen=True, kw_only=True):
    """Each may be missing, as in a Python agent's own engine; every hook says what it does then."""

    reviews: Reviews | None = None
    rounds: Rounds | None = None
    ground: Ground | None = None
    scores: Scores | None = None
    calls: CallBook | None = None  # where calls are recorded
    cancellations: Cancellations | None = None  # what people have stopped
    memory: Memory | None = None  # what hooks remember of a session
    work: WorkBook | None = None  # work that outlives a context window
    notices: Notices | None = None  # reaches people
    flows: Flows | None = None  # what sessions did
    window: Window | None = None  # how full a session's context is
    remedies: Remedies | None = None  # what worked after errors
    model: ModelPlace = ModelPlace()  # which model is asked, as the settings say
    redactor: Redactor = KEYLESS  # takes secrets out of what leaves this machine


NOTHING_LENT = Lent()
