"""A question to a person, as people are told of it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.tool import ToolTable
from interlock.features.approvals.request import Request
from interlock.features.approvals.shown import shown, summary
from interlock.features.notifications.sender import Notice

_SHORT: Final = 200


def request_notice(request: Request, tools: ToolTable) -> Notice:
    """What the desktop and a webhook are told of a request; raise InterlockError where it is unreadable."""
    line, lines = summary(request, tools), shown(request, tools).lines
    return Notice(
        title=f"Interlock: {request.name} waits", text=line[:_SHORT], document=_document(request, lines)
    )


def _document(request: Request, lines: list[str]) -> dict[str, Any]:
    """What a webhook gets: enough to know what waits, and no way to answer."""
    return {
        "event": "approval_requested",
        "approval": request.name,
        "session_id": request.session_id,
        "actor": request.actor,
        "tool": request.tool,
        "project": request.root,
        "reason": request.reason,
        "rule": request.rule,
        "approvers": request.approvers,
        "digest": request.digest,
        "call": msgspec.json.decode(request.call),
        "shown": lines,
        "requested_at": request.requested_at,
        "expires_at": request.expires_at,
        "next": f"interlock approvals show {request.name}",
    }
