"""How long Claude Code waits for us, as our entries say it, and how much of that the hooks have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from interlock.events.hook import MAX_TIMEOUT, Hook
from interlock.events.names import WITH_TOOL, EventName

# The rest of the host's time is for starting us, recording, and the way back.
BUDGET_SHARE: Final = 0.9

_OTHERS: Final = 30
# A build or a test at the end of a turn takes its time, as a check before a call may.
_MAY_GROW: Final = WITH_TOOL | {EventName.STOP}
_SECONDS: Final[dict[str, int]] = {
    **dict.fromkeys(WITH_TOOL, 60),
    EventName.USER_PROMPT_SUBMIT: 30,
    EventName.MESSAGE_DISPLAY: 10,
    EventName.SESSION_START: 15,
    EventName.SESSION_END: 5,
    # Less than the 5 seconds the host gives our command, which then shows the rest without them.
    EventName.STATUS_LINE: 4,
    EventName.FILE_SUGGESTION: 4,
}


def written_timeout(event_name: str, hooks: Iterable[Hook] = ()) -> int:
    """The seconds an entry of ours asks for: more than usual only where a hook needs more."""
    usual = _SECONDS.get(event_name, _OTHERS)
    if event_name not in _MAY_GROW:
        return usual
    longest = max((hook.timeout for hook in hooks if event_name in hook.events), default=0.0)
    return min(int(MAX_TIMEOUT), max(usual, math.ceil(longest / BUDGET_SHARE)))


def budget_of(event_name: str, waits: float | None = None) -> float:
    """The seconds all hooks of an event have together: always less than our entries ask for."""
    seconds = written_timeout(event_name) if waits is None else min(waits, MAX_TIMEOUT)
    return seconds * BUDGET_SHARE
