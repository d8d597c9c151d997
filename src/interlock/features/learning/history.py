"""The calls that people have approved, from the entries of the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.requests import Call
from interlock.features.approvals.settings import POLICY
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter
from interlock.redaction.marks import MARK

_DENIALS: Final = "approvals"  # sends a turn back when the agent has to hear of a denial
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
    def counted(self) -> Vote:
        """Its vote; one that only another version knows counts as none."""
        return _VOTES.get(self.vote, Vote.ABSTAIN)


class RecordedDecision(msgspec.Struct, frozen=True):
    """The body of a decision; a field that is missing was empty."""

    event: str
    decision: str
    actor: str = ""  # from the entry
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
        votes = [row.counted for row in self.trace if row.hook == self.decided_by and not row.shadow]
        return max(votes, default=_VOTES.get(self.decision, Vote.ALLOW))

    @property
    def by_people(self) -> bool:
        """Whether a person decided it: they cancelled the session, or denied an approval."""
        return self.decided_by == _DENIALS or any(
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
        known = set(Event.__struct_fields__) & set(self.__struct_fields__) - {"tool"}
        return Event(name=self.event, tool=tool, **{name: getattr(self, name) for name in known})


def read_decision(entry: Entry) -> RecordedDecision | None:
    """The decision of an entry, None when its body is no such record."""
    body = entry.body_as(RecordedDecision)
    return None if body is None else msgspec.structs.replace(body, actor=entry.actor)


_MOST_ASKS: Final = 5_000  # asks of one session, to find the one a host's prompt was about
_MOST_SHOWN: Final = 5

Pages = Callable[[Filter], Iterator[Entry]]


class Evidence(msgspec.Struct, kw_only=True):
    """Who approved a call, when and how often; the newest first."""

    count: int = 0
    seqs: list[int] = []
    first: str = ""
    last: str = ""
    by: list[str] = []

    def add(self, entry: Entry, by: str) -> None:
        """Add an approval; entries come newest first."""
        self.count += 1
        if len(self.seqs) < _MOST_SHOWN:
            self.seqs.append(entry.seq)
        self.first, self.last = entry.ts, self.last or entry.ts
        if by not in self.by:
            self.by.append(by)


class ApprovedCall(msgspec.Struct, kw_only=True):
    """One call, the same every time, and the evidence for it."""

    actor: str
    call: Call
    project: str | None
    evidence: Evidence

    @property
    def redacted(self) -> bool:
        """Whether it holds the mark of a secret instead of the text that was approved."""
        return MARK.search(msgspec.json.encode(self.call.input)) is not None

    @property
    def event(self) -> Event:
        """The call as it would come again."""
        return msgspec.structs.replace(self.call.as_event(self.project), actor=self.actor)


class Approvals:
    """Gathers approved calls; entries are read newest first, so an answer comes before its question."""

    def __init__(self, pages: Pages) -> None:
        self._pages: Final = pages
        self._yes: Final[dict[str, tuple[Entry, str]]] = {}  # request → its approval, and by whom
        self._refused: Final[set[tuple[str, bytes]]] = set()
        self._no: Final[set[str]] = set()
        self._calls: Final[dict[tuple[str, bytes], ApprovedCall]] = {}
        self.left_out: Final[Counter[str]] = Counter()

    def gather(self, since: str | None, actor: str | None) -> list[ApprovedCall]:
        """Every call that was approved and never refused."""
        for entry in self._pages(Filter(op="approval", since=since)):
            self._take(entry, entry.body)
        if self._yes:
            self.left_out["its request is no longer in the ledger"] += len(self._yes)
        calls = [call for key, call in self._calls.items() if key not in self._refused]
        if refused := len(self._calls) - len(calls):
            self.left_out["a person also denied it"] += refused
        return [call for call in calls if actor is None or call.actor == actor]

    def _take(self, entry: Entry, body: dict[str, Any]) -> None:
        state, name = body.get("state"), body.get("approval")
        if body.get("inferred"):
            if state == "approved":
                self._take_inferred(entry, body)
        elif not isinstance(name, str):
            return
        elif state == "approved":
            self._yes[name] = (entry, str(body.get("by", "")))
        elif state == "denied":
            self._no.add(name)
        elif state == "requested":
            self._take_request(name, entry, body)

    def _take_request(self, name: str, entry: Entry, body: dict[str, Any]) -> None:
        try:
            call = msgspec.convert(body.get("call"), Call)
        except msgspec.ValidationError:
            return
        actor = str(body.get("actor", entry.actor))
        if name in self._no:
            self._refused.add((actor, msgspec.json.encode(call, order="sorted")))
        if name in self._yes:
            answer, by = self._yes.pop(name)
            self._add(actor, call, entry.workspace or None, answer, by)

    def _take_inferred(self, entry: Entry, body: dict[str, Any]) -> None:
        """Find the call that a host's prompt was about in the decision that asked."""
        session, use_id = body.get("session_id"), body.get("tool_use_id")
        if not isinstance(session, str) or not isinstance(use_id, str):
            return
        wanted = Filter(session=session, op="decision", decision="ask", tool=entry.tool)
        for count, entry_of_ask in enumerate(self._pages(wanted)):
            record = read_decision(entry_of_ask)
            if count >= _MOST_ASKS:
                break
            if record is not None and record.tool_use_id == use_id:
                tool_input = record.updated_input or record.tool_input
                call = Call(cwd=record.cwd, event=record.event, input=tool_input, tool=record.tool)
                self._add(record.actor, call, record.project, entry, str(body.get("by", "")))
                return
        self.left_out["the call a host asked about is no longer in the ledger"] += 1

    def _add(self, actor: str, call: Call, project: str | None, entry: Entry, by: str) -> None:
        key = (actor, msgspec.json.encode(call, order="sorted"))
        if key not in self._calls:
            evidence = Evidence(seqs=[], by=[])
            self._calls[key] = ApprovedCall(actor=actor, call=call, project=project, evidence=evidence)
        self._calls[key].evidence.add(entry, by)
