"""What people want to hear of: an agent that waits for them, or one that has ended."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from interlock.features.work.settings import WorkNotify


class NoticeKind(StrEnum):
    """What happened."""

    ATTENTION = "attention"  # the agent waits for somebody
    ENDED = "session_ended"
    EXHAUSTED = "exhausted"  # no more calls for now, or no more room in the window


class AgentNotice(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, with who it is about."""

    kind: NoticeKind
    agent: str
    label: str | None
    session_id: str  # the host's
    text: str  # one line for people
    notify: WorkNotify  # how they want to hear of it
