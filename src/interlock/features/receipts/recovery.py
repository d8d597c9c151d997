"""What an agent and its person hear about calls whose end nobody saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interlock.features.receipts.call import RecordedCall
from interlock.features.receipts.classification.classes import Replay, SideEffect

_FILES: Final = 5
_LOOK: Final = {
    SideEffect.EXTERNAL: "look at the other side whether it arrived, by a call that only reads",
    SideEffect.MEMORY: "read the memory back",
    SideEffect.LOCAL: "look at the files it would have changed",
    SideEffect.READ_ONLY: "it changes nothing",
}


def context_of(calls: Sequence[RecordedCall]) -> str:
    """For the agent: what may have happened, how to look, and not to repeat it blindly."""
    head = (
        f"{_count(calls)} in this project began before this session and nobody saw the end. Each may have "
        "happened, wholly or in part, or not at all. Do not repeat them blindly: look first whether they "
        "took effect, and tell the person what you found."
    )
    return "\n".join((head, *(f"- {_line(call)}" for call in calls)))


def message_of(calls: Sequence[RecordedCall]) -> str:
    """For the person: that there are such calls, and how to settle them."""
    shown = ", ".join(f"{call.name} ({call.tool})" for call in calls[:_FILES])
    more = f" and {len(calls) - _FILES} more" if len(calls) > _FILES else ""
    return (
        f"Interlock: {_count(calls)} without a known end in this project: {shown}{more}. See `interlock "
        "receipts list --unfinished`; when you know how one ended, `interlock receipts resolve ID "
        "--succeeded`, `--failed` or `--retry`."
    )


def how_to_look(call: RecordedCall) -> str:
    """Where the effect of a call would show."""
    if call.replay is Replay.RELAUNCH:
        return "look whether the work it began left results; it may be begun anew"
    touched = [
        *call.effects.get("creates", ()),
        *call.effects.get("writes", ()),
        *call.effects.get("deletes", ()),
    ]
    if touched:
        return f"look at {', '.join(f'`{path}`' for path in touched[:_FILES])}"
    return _LOOK[call.side_effect]


def _line(call: RecordedCall) -> str:
    begun = f"{call.name}: {call.tool} ({call.side_effect}), begun {call.created_at}"
    return f"{begun}: {call.summary}; {how_to_look(call)}"


def _count(calls: Sequence[RecordedCall]) -> str:
    return "1 tool call" if len(calls) == 1 else f"{len(calls)} tool calls"
