"""Grants that would have spared people their questions, as a change of their policy file."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.events.decision import Decision
from interlock.events.verdict import Vote
from interlock.features.learning.answers import Answers
from interlock.features.learning.approved import ApprovedCall
from interlock.features.learning.generalising import ENOUGH, Proposal, propose, unfit
from interlock.features.learning.policies import TriedPolicies
from interlock.features.learning.policy_edit import NEW, Line, with_items
from interlock.features.learning.recorded import Recorded

HEAD: Final = ("settings", "projects")


class Suggested(msgspec.Struct, frozen=True, kw_only=True):
    """A pattern for one actor in one folder, and what it rests on."""

    folder: str
    actor: str
    pattern: str
    count: int
    seqs: tuple[int, ...]
    first: str
    last: str
    by: tuple[str, ...]

    @property
    def evidence(self) -> str:
        """Why this line, in one line."""
        times = f"{self.count} times" if self.count > 1 else "once"
        span = (
            self.first[:10] if self.first[:10] == self.last[:10] else f"{self.first[:10]} to {self.last[:10]}"
        )
        entries = ", ".join(map(str, self.seqs)) + (" …" if self.count > len(self.seqs) else "")
        return f"approved {times}, {span}, by {', '.join(self.by)}; entries {entries}"


def still_asked(
    calls: Iterable[ApprovedCall], policies: TriedPolicies, answers: Answers, left_out: Counter[str]
) -> list[ApprovedCall]:
    """The approved calls that the policy asks about today and that a pattern can say."""
    found = []
    for call in calls:
        why = unfit(call) or _objection(call, policies, answers)
        if why is None:
            found.append(call)
        else:
            left_out[why] += 1
    return found


def decided(call: ApprovedCall, policies: TriedPolicies, answers: Answers) -> Decision | None:
    """What the policy says of a call today, None when it cannot be used where the call was made."""
    event = msgspec.structs.replace(call.event, host="claude-code", session_id="suggest")
    tried = policies.of(event)
    if tried is None:
        return None
    answers.open(Recorded(event=event.name, decision="ask"))
    return tried.settled(event, tried.engine.decide_sync(event))


def _objection(call: ApprovedCall, policies: TriedPolicies, answers: Answers) -> str | None:
    decision = decided(call, policies, answers)
    if decision is None:
        return "the policy where it was made cannot be used"
    if decision.denied:
        return f"the policy denies it today ({decision.decided_by})"
    if decision.vote is not Vote.ASK:
        return "nobody is asked about it any more"
    return "a named person must say yes to it" if decision.approvers else None


def suggested(calls: Sequence[ApprovedCall], enough: int = ENOUGH) -> list[Suggested]:
    """The lines to add, for every folder and actor on its own."""
    groups: dict[tuple[str, str], list[ApprovedCall]] = {}
    for call in calls:
        groups.setdefault((os.path.realpath(call.call.cwd), call.actor), []).append(call)
    return [
        _suggested(folder, actor, proposal)
        for (folder, actor), group in sorted(groups.items())
        for proposal in propose(group, enough=enough)
    ]


def _suggested(folder: str, actor: str, proposal: Proposal) -> Suggested:
    of = [call.evidence for call in proposal.calls]
    return Suggested(
        folder=folder,
        actor=actor,
        pattern=proposal.pattern,
        count=sum(one.count for one in of),
        seqs=tuple(sorted((seq for one in of for seq in one.seqs), reverse=True)[:5]),
        first=min(one.first for one in of),
        last=max(one.last for one in of),
        by=tuple(sorted({by for one in of for by in one.by})),
    )


def edited(content: str, lines: Sequence[Suggested]) -> str:
    """The policy file with the lines in it."""
    text = content or NEW
    places: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        item = Line(text=line.pattern, comments=(line.evidence,))
        places.setdefault((line.folder, line.actor), []).append(item)
    for (folder, actor), items in places.items():
        changed = with_items(text, (*HEAD, folder, "grants", actor), items)
        if changed is None:
            raise InterlockError(
                "the settings of your genesis.key are written in braces, where no line can be added; "
                "write them one below the other, or take the lines from --json"
            )
        text = changed
    return text


def diff(path: str, before: str, after: str) -> str:
    """The change, as `patch` takes it."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, path, n=2
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
