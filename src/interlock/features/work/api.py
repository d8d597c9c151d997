"""Where hooks ask about work that outlives a context window; kept by whoever has a store."""

from __future__ import annotations

from typing import Protocol

from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.verdict import Verdict


class WorkBook(Protocol):
    """Sessions, efforts and agents, as far as hooks need them."""

    def concerns(self, event: Event) -> bool:
        """Whether there is anything to do at an event; asked before every call: a look into memory."""

    def seen(self, view: CallView, seconds: float) -> Verdict:
        """Take notice of an event, and say what the work has against it or wants told."""
