"""What recording hooks have in common: a call is staged before it runs and closed after it."""

from __future__ import annotations

from typing import Final

from interlock.builtin_hooks.base import Rule
from interlock.events.hook import Sight
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.receipts.classification.book import NO_BOOK, CallBook, CallNote
from interlock.features.receipts.classification.classes import Repeat, RunScope
from interlock.features.receipts.classification.classify import Classifier

# Both ends of a call: a hook that sees only one of them would leave every call open. A host that turns a
# call down after us ends it, too.
ENDS: Final = (
    EventName.PRE_TOOL_USE,
    EventName.POST_TOOL_USE,
    EventName.POST_TOOL_USE_FAILURE,
    EventName.PERMISSION_DENIED,
)


class Recording(Rule):
    """Base of the hooks that write to the book of calls; they run again when the input changed after them."""

    def __init__(
        self,
        *,
        book: CallBook = NO_BOOK,
        classifier: Classifier | None = None,
        repeat: Repeat = Repeat.ALLOW,
        scope: RunScope = RunScope.SESSION,
    ) -> None:
        self._book: Final = book
        self._classifier: Final = classifier or Classifier()
        self._repeat: Final = repeat
        self._scope: Final = scope

    def _note(self, sight: Sight, tool: ToolCall, effects: JsonObject | None = None) -> CallNote:
        return CallNote(
            event=sight.event,
            call=self._classifier.of(tool, sight),
            scope=self._scope,
            repeat=self._repeat,
            effects=effects or {},
        )
