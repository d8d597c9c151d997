"""The lines that would let a call pass which is shown on a page."""

from __future__ import annotations

from interlock.daemon.paths import Places
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.allowing import POLICY_FILE, Allowing, allowing
from interlock.web.policies import policies_of


def allowing_of(places: Places, event: Event, vote: Vote) -> Allowing | None:
    """By the policy in force where the call was made; None where that cannot be told."""
    try:
        hooks = policies_of(places).for_folder(event.cwd).engine.hooks
        return allowing(event, vote, hooks, CLAUDE_CODE_TOOLS, str(places.user_config / POLICY_FILE))
    except (InterlockError, OSError):
        return None
