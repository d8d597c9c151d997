"""An agent that waits for somebody or has ended, as people are told of it."""

from __future__ import annotations

from typing import Final

from interlock.features.notifications.sender import Notice
from interlock.features.work.agent_notice import Happening, Kind

_SHORT: Final = 200
_TITLES: Final = {
    Kind.ATTENTION: "waits for you",
    Kind.ENDED: "has ended",
    Kind.EXHAUSTED: "cannot go on",
}


def notice_of(happening: Happening) -> Notice:
    """What the desktop shows of it, and what a webhook gets."""
    name = happening.label or happening.agent
    return Notice(
        title=f"Interlock: {name} {_TITLES[happening.kind]}"[:_SHORT],
        text=happening.text[:_SHORT],
        document={
            "event": f"agent_{happening.kind}",
            "agent": happening.agent,
            "label": happening.label,
            "session_id": happening.session_id,
            "text": happening.text,
            "next": "interlock fleet",
        },
    )
