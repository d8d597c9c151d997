"""What hooks are lent by whoever loads them: hooks never touch the store themselves."""

from __future__ import annotations

import msgspec

from interlock.builtin.cancellation import Cancellations
from interlock.builtin.flows import Flows
from interlock.builtin.ground import Ground
from interlock.builtin.memory import Memory
from interlock.builtin.notices import Notices
from interlock.builtin.remedies import Remedies
from interlock.builtin.reviews import Reviews
from interlock.builtin.rounds import Rounds
from interlock.builtin.scores import Scores
from interlock.builtin.window import Window
from interlock.builtin.workbook import WorkBook
from interlock.calls.book import CallBook
from interlock.handlers.model_place import ModelPlace
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
