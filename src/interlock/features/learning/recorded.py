"""A decision as the ledger has it, and the event it was made for."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.standing import POLICY
from interlock.ledger.entry import Entry
from interlock.redaction.marks import MARK

REFUSED: Final = "approvals"  # what decides that a turn goes on, for the agent has to hear of a no
_VOTES: Final = {str(vote): vote for vote in Vote}


class Row(msgspec.Struct, frozen=True):
    """What one hook said."""

    hook: str = ""
    type: str = ""
    vote: str = "abstain"
    reason: str | None = None
    outcome: str = ""
    shadow: bool = False
    updated_input: JsonObject | None = None

    @property
    def said(self) -> Vote:
        """Its vote; one of another version's counts as none."""
        return _VOTES.get(self.vote, Vote.ABSTAIN)


class Recorded(msgspec.Struct, frozen=True):
    """The body of a decision; what it does not have was empty."""

    event: str
    decision: str
    actor: str = ""  # of the entry, put in by us
    agent_id: str | None = None
    agent_type: str | None = None
    approval: str | None = None
    commitment_id: str | None = None
    cwd: str = ""
    decided_by: str | None = None
    error: str | None = None
    extra: JsonObject = {}
    host: str = ""
    parent_actor: str | None = None
    permission_mode: str | None = None
    project: str | None = None
    prompt: str | None = None
    reason: str | None = None
    revision: str = ""  # the policy it was decided under
    session_id: str = ""
    skipped: tuple[str, ...] = ()  # hooks that were not asked
    tool: str | None = None
    tool_input: JsonObject | None = None
    tool_output: Any = None
    tool_use_id: str | None = None
    trace: tuple[Row, ...] = ()
    updated_input: JsonObject | None = None

    @property
    def voted(self) -> Vote:
        """What the policy said, before a person or a host answered an ask."""
        if self.approval == POLICY:
            return Vote.ALLOW
        votes = [row.said for row in self.trace if row.hook == self.decided_by and not row.shadow]
        return max(votes, default=_VOTES.get(self.decision, Vote.ALLOW))

    @property
    def by_people(self) -> bool:
        """Whether a person's word decided it: a session was cancelled, or a no told as its turn ended."""
        return self.decided_by == REFUSED or any(
            row.hook == self.decided_by and row.type == "cancellation" for row in self.trace
        )

    @property
    def redacted(self) -> bool:
        """Whether secrets were taken out of what would be judged."""
        return MARK.search(msgspec.json.encode([self.tool_input, self.prompt])) is not None

    def as_event(self) -> Event:
        """The event as the host sent it, as far as it is recorded."""
        tool = None
        if self.tool is not None:
            tool = ToolCall(name=self.tool, input=self.tool_input or {}, use_id=self.tool_use_id)
        return Event(
            name=self.event,
            session_id=self.session_id,
            cwd=self.cwd,
            project=self.project,
            actor=self.actor,
            parent_actor=self.parent_actor,
            host=self.host,
            tool=tool,
            tool_output=self.tool_output,
            error=self.error,
            prompt=self.prompt,
            agent_id=self.agent_id,
            agent_type=self.agent_type,
            permission_mode=self.permission_mode,
            commitment_id=self.commitment_id,
            extra=self.extra,
        )


class _Payload(msgspec.Struct):
    body: Recorded


_PAYLOAD: Final = msgspec.json.Decoder(_Payload)


def recorded(entry: Entry) -> Recorded | None:
    """The decision of an entry, None when its body is no such record."""
    try:
        body = _PAYLOAD.decode(entry.payload).body
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return msgspec.structs.replace(body, actor=entry.actor)
