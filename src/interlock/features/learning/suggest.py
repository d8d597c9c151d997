"""Grants that would have spared people their questions, as a change of their policy file."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
import yaml

from interlock.errors import InterlockError
from interlock.events.decision import Decision
from interlock.events.verdict import Vote
from interlock.features.learning.generalize import ENOUGH, Proposal, propose, unfit
from interlock.features.learning.history import ApprovedCall, RecordedDecision
from interlock.features.learning.policies import Answers, TriedPolicies

_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9/_.-]+(?::[A-Za-z0-9_.-]+)?")
_STEP: Final = 2
NEW: Final = 'version: "2.0"\n'


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a list, with what is said about it above it."""

    text: str
    comments: tuple[str, ...] = ()


def with_items(content: str, path: Sequence[str], items: Sequence[Line]) -> str | None:
    """The file with items at the head of the list at a path; None where it is written in braces."""
    root = yaml.compose(content, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    node: Any = root
    for depth, key in enumerate(path):
        found = _child(node, key)
        if found is None:
            column = root.start_mark.column if node is root else _column(node)
            return _inserted(content, _line_below(content, node, root), column, path[depth:], items)
        key_node, value = found
        if _is_empty(value):
            column = key_node.start_mark.column + _STEP
            at = key_node.start_mark.line + 1
            return _inserted(content, at, column, path[depth + 1 :], items)
        if getattr(value, "flow_style", False) or isinstance(value, yaml.ScalarNode):
            return None
        node = value
        node.below = key_node.start_mark.line + 1
    return _inserted(content, node.below, node.start_mark.column, (), items)


def _child(node: Any, key: str) -> tuple[Any, Any] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((name, value) for name, value in node.value if name.value == key), None)


def _is_empty(value: Any) -> bool:
    return isinstance(value, yaml.ScalarNode) and value.value == ""


def _column(node: Any) -> int:
    return int(node.value[0][0].start_mark.column)


def _line_below(content: str, node: Any, root: Any) -> int:
    """Where a new key of a mapping goes: first in it, or at the end of the file."""
    return len(content.splitlines()) if node is root else int(node.below)


def _inserted(content: str, at: int, column: int, path: Sequence[str], items: Sequence[Line]) -> str:
    new = []
    for key in path:
        new.append(f"{' ' * column}{key if _PLAIN_KEY.fullmatch(key) else json.dumps(key)}:")
        column += _STEP
    for item in items:
        new += [f"{' ' * column}# {comment}" for comment in item.comments]
        new.append(f"{' ' * column}- {json.dumps(item.text, ensure_ascii=False)}")
    lines = content.splitlines()
    return "\n".join([*lines[:at], *new, *lines[at:]]) + "\n"


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


def decide_again(call: ApprovedCall, policies: TriedPolicies, answers: Answers) -> Decision | None:
    """What the policy says of a call today, None when it cannot be used where the call was made."""
    event = msgspec.structs.replace(call.event, host="claude-code", session_id="suggest")
    tried = policies.of(event)
    if tried is None:
        return None
    answers.open(RecordedDecision(event=event.name, decision="ask"))
    return tried.settled(event, tried.engine.decide_sync(event))


def _objection(call: ApprovedCall, policies: TriedPolicies, answers: Answers) -> str | None:
    decision = decide_again(call, policies, answers)
    if decision is None:
        return "the policy of that project does not load"
    if decision.denied:
        return f"the policy denies it today ({decision.decided_by})"
    if decision.vote is not Vote.ASK:
        return "nothing asks about it any more"
    return "a named person must approve it" if decision.approvers else None


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
                "the settings of your genesis.key are in braces, where no line can be added; write them "
                "one below the other, or copy the lines from --json"
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
