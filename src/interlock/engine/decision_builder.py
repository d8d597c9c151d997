"""One decision as it grows: the input as it stands, the votes so far, what is to be said."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.engine.pipeline import BoundHook, Pipeline
from interlock.engine.session_memory import Rounds
from interlock.events.decision import Decision, TraceRow, not_carried_out
from interlock.events.event import Event
from interlock.events.hook import Hook, Layer
from interlock.events.names import JUDGED, STOPS, EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import OF_SERVERS
from interlock.events.verdict import NO_OPINION, Evidence, Outcome, Verdict, Vote
from interlock.patterns.call_view import LocalCallView

_INPUT_CHANGES_AT: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
_OUTPUT_CHANGES_AT: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
# Text from a project is labelled with its source and held short: a repository is not trusted.
_PROJECT_TEXT_BYTES: Final = 2_048


class HookRun(msgspec.Struct, frozen=True, gc=False):
    """What came of one run."""

    verdict: Verdict
    outcome: Outcome
    duration: float
    passed_open: bool = False


class DecisionBuilder:
    """Everything gathered about one event; `decision` gives it as a value."""

    # How each of these begins; most events end with most of them so.
    version = 0  # counts the changes to what is judged
    _vote = Vote.ABSTAIN
    _reason: str | None = None
    _decided_by: str | None = None
    _context: tuple[str, ...] = ()
    _messages: tuple[str, ...] = ()
    _evidence: tuple[Evidence, ...] = ()
    _approvers: tuple[tuple[str, ...], ...] = ()
    _grants: frozenset[int] = frozenset()  # auto_approve hooks whose last run allowed
    _open_passes = 0
    _degraded: tuple[str, ...] = ()

    def __init__(self, event: Event, pipeline: Pipeline, rounds: Rounds | None = None) -> None:
        self._original: Final = event
        self._rounds: Final = rounds  # counts the blocks of stops; None: nobody does
        self.pipeline: Final = pipeline
        self._judged: Final = event.name in JUDGED
        self.view = LocalCallView(event, pipeline.book)
        # A tool of an MCP server, and no other, may carry text for a shell.
        self.of_server: Final = event.tool is not None and event.tool.name.startswith(OF_SERVERS)
        self.carried: LocalCallView | None = None  # that text as a call, read ahead
        self._seen: Final[dict[int, int]] = {}  # hook → version it last ran on
        self.rows: Final[list[TraceRow]] = []
        self._ending: Final = event.name in STOPS

    @property
    def must_judge_again(self) -> bool:
        """Whether what has changed is judged at all, and nothing has been denied yet."""
        return self._judged and self._vote is not Vote.DENY

    def skip(self, bound: BoundHook) -> None:
        """Note that a hook did not apply."""
        self.rows.append(bound.skipped)

    def version_seen_by(self, bound: BoundHook) -> int | None:
        """The version of the input a hook last ran on, or None when it has not run."""
        return self._seen.get(id(bound))

    def take(self, bound: BoundHook, ran: HookRun, *, again: bool = False) -> bool:
        """Count what a hook said; True when it ends the chain."""
        hook, verdict = bound.hook, ran.verdict
        if verdict is NO_OPINION and hook.only_objects:
            self._seen[id(bound)] = self.version
            return False
        self.rows.append(_row(bound, ran, again=again))
        if ran.passed_open:
            self._open_passes += 1
        grants = hook.auto_approve and hook.matcher.fires(self.view, every_part=True)
        if not hook.shadow and id(bound) not in self._seen:
            self._hear(hook, verdict)
        if not bound.silent and not again:
            self._change(verdict)
        # Its own change is its own opinion; only what others change afterwards is new to it.
        self._seen[id(bound)] = self.version
        if bound.silent or not self._judged:
            return False
        return self._count(bound, verdict, grants=grants)

    def _count(self, bound: BoundHook, verdict: Verdict, *, grants: bool) -> bool:
        hook = bound.hook
        if self._ending and verdict.vote is Vote.DENY and (why := self._spent(hook)):
            self._degraded += (why,)
            self.rows[-1] = not_carried_out(self.rows[-1], why)
            return False
        if verdict.vote > self._vote:
            self._vote = verdict.vote
            self._reason = _labelled(hook, verdict.reason) if bound.labelled else verdict.reason
            self._decided_by = hook.name
        if verdict.approvers and verdict.vote is Vote.ASK and verdict.approvers not in self._approvers:
            # Of every hook that names somebody, also when another asked first: a later layer only tightens.
            self._approvers += (verdict.approvers,)
        if hook.auto_approve:
            granted = grants and verdict.vote is Vote.ALLOW
            self._grants = self._grants | {id(bound)} if granted else self._grants - {id(bound)}
        return verdict.vote is Vote.DENY

    def _spent(self, hook: Hook) -> str | None:
        """Why a hook may not send the agent back once more in this turn; None where it may."""
        event = self._original
        if hook.max_rounds is not None:
            session = f"{event.session_id}/{event.agent_id}" if event.agent_id else event.session_id
            if self._rounds is None:
                return None
            self._rounds.add(session, hook.key)
            if self._rounds.count(session, hook.key) <= hook.max_rounds:
                return None
            return f"`{hook.name}` would send the turn back again; its `max_rounds` is {hook.max_rounds}"
        # The agent was sent back in this turn already: only a hook that counts its rounds may do so again.
        if hook.loops or event.extra.get("stop_hook_active") is not True:
            return None
        return (
            f"`{hook.name}` would send the turn back again; without `max_rounds` that is allowed once a turn"
        )

    def _hear(self, hook: Hook, verdict: Verdict) -> None:
        if verdict.context:
            self._context += (_labelled(hook, verdict.context) or "",)
        if verdict.message:
            self._messages += (_labelled(hook, verdict.message) or "",)
        if verdict.evidence:
            self._evidence += (verdict.evidence,)

    def _change(self, verdict: Verdict) -> None:
        event = self.view.event
        changed = event
        new_input = verdict.updated_input if event.name in _INPUT_CHANGES_AT else None
        if new_input is not None and event.tool and new_input != event.tool.input:
            changed = changed.with_input(new_input)
        new_prompt = verdict.updated_prompt if event.prompt is not None else None
        if new_prompt is not None and new_prompt != event.prompt:
            changed = changed.with_prompt(new_prompt)
        if verdict.updated_output is not msgspec.UNSET and event.name in _OUTPUT_CHANGES_AT:
            changed = changed.with_output(verdict.updated_output)
        if changed is not event:
            self.version += 1
            self.view = self.pipeline.view(changed)

    def _granted(self) -> bool:
        """Whether a grant was given for the final input; one for an earlier input is void."""
        return any(self._seen[grant] == self.version for grant in self._grants)

    def decision(self, unread: str | None) -> Decision:
        """The strictest vote and all that goes with it; `unread`: why not all of the call was read."""
        vote = self._vote
        decision = Decision(
            vote=vote,
            reason=self._reason,
            decided_by=self._decided_by,
            context=self._context,
            messages=self._messages,
            evidence=self._evidence,
            approvers=self._approvers if vote is Vote.ASK else (),
            auto_approve=vote is Vote.ALLOW and self._granted(),
            trace=tuple(self.rows),
            degraded=self._degraded,
            revision=self.pipeline.name,
            unread=unread,
            open_passes=self._open_passes,
            event=self._original.name,
        )
        return self._with_changes(decision) if self.version else decision

    def _with_changes(self, decision: Decision) -> Decision:
        before, after = self._original, self.view.event
        return msgspec.structs.replace(
            decision,
            updated_input=None if self._vote is Vote.DENY else _changed_input(before, after),
            updated_prompt=after.prompt if after.prompt != before.prompt else None,
            updated_output=_changed_output(before, after),
        )


def _row(bound: BoundHook, ran: HookRun, *, again: bool) -> TraceRow:
    verdict = ran.verdict
    return msgspec.structs.replace(
        bound.skipped,
        vote=verdict.vote,
        outcome=ran.outcome,
        reason=verdict.reason,
        duration_ms=round(ran.duration * 1000, 3),
        rejudged=again,
        passed_open=ran.passed_open,
        updated_input=None if again else verdict.updated_input,
        evidence=None if again else verdict.evidence,
        gave=() if again else _gave(verdict),
    )


def _gave(verdict: Verdict) -> tuple[str, ...]:
    """What a hook gave beside a vote, an input and evidence, which the trace has whole."""
    gave: tuple[str, ...] = ()
    if verdict.context:
        gave += ("context",)
    if verdict.message:
        gave += ("message",)
    if verdict.updated_prompt is not None:
        gave += ("prompt",)
    if verdict.updated_output is not msgspec.UNSET:
        gave += ("output",)
    return gave


def _changed_input(before: Event, after: Event) -> JsonObject | None:
    if before.tool is None or after.tool is None or after.tool is before.tool:
        return None
    return after.tool.input if after.tool.input != before.tool.input else None


def _changed_output(before: Event, after: Event) -> Any:
    return msgspec.UNSET if after.tool_output is before.tool_output else after.tool_output


def _labelled(hook: Hook, text: str | None) -> str | None:
    if text is None or hook.source.layer <= Layer.USER:
        return text
    cut = text.encode("utf-8", "replace")[:_PROJECT_TEXT_BYTES].decode("utf-8", "ignore")
    return f"[{hook.source}] {cut}"
