"""The lines that would let a call pass which is shown on a page."""

from __future__ import annotations

from interlock.approvals.allowing import POLICY_FILE, Allowing, allowing
from interlock.daemon.places import Places
from interlock.errors import InterlockError
from interlock.event import Event
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.verdict import Vote
from interlock.web.policies import policies_of


def allowing_of(places: Places, event: Event, vote: Vote) -> Allowing | None:
    """By the policy in force where the call was made; None where that cannot be told."""
    try:
        hooks = policies_of(places).for_folder(event.cwd).engine.hooks
        return allowing(event, vote, hooks, CLAUDE_CODE_TOOLS, str(places.user_config / POLICY_FILE))
    except (InterlockError, OSError):
        return None
