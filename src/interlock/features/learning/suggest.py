"""Proposes grants for calls that people keep approving, as a change of their policy file."""

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

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Role
from interlock.errors import InterlockError, PatternError
from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.tool import SubjectKind, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.learning.history import ApprovedCall, RecordedDecision
from interlock.features.learning.policies import Answers, TriedPolicies
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.covered_call import PLAIN, covered, same_word, same_words
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_pattern

ENOUGH: Final = 3  # different operands before a `*` stands for them
# Their operands are what they run, like subcommands.
_RUNNERS: Final = frozenset(
    "make gmake just task rake npm npx pnpm yarn bun deno cargo gradle mvn ant tox nox invoke".split()
)
_FILES: Final = frozenset({Role.READ, Role.WRITE, Role.EDIT, Role.DELETE})
_OPERANDS: Final = _FILES | {Role.TEXT}


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """One pattern and the calls it is proposed for."""

    pattern: str
    calls: tuple[ApprovedCall, ...]


def find_obstacle(call: ApprovedCall, tools: ToolTable = STANDARD_TOOLS) -> str | None:
    """Why no pattern is proposed for a call, or None."""
    event = call.event
    if call.redacted:
        return "secrets were removed from it"
    if event.tool is None:
        return "it is not a tool call"
    view = LocalCallView(event, PatternIndex((), tools))
    if view.is_long or view.unread:
        return "Interlock cannot read all of it"
    if any(not word.fixed for command in view.commands for word in command.words):
        return "what it does depends on what is there when it runs"
    if any(command.via for command in view.commands if not command.transparent):
        return "one command runs another, which would then be allowed on its own"
    literals = literals_of(event, tools)
    patterns = [pattern for text in literals if (pattern := _parse_literal(text)) is not None]
    exact = literals and len(patterns) == len(literals) and covered(event, patterns, tools)
    return None if exact else "no pattern matches exactly this"


def literals_of(event: Event, tools: ToolTable = STANDARD_TOOLS) -> list[str]:
    """The patterns that match this call and no other: one for each command of a shell text."""
    tool = event.tool
    spec = tools.spec(tool.name) if tool else None
    if tool is None or spec is None or spec.main is None:
        return []
    if spec.kind is SubjectKind.SHELL:
        view = LocalCallView(event, PatternIndex((), tools))
        texts = [command.written for command in view.commands if not command.transparent]
    else:
        subject = tool.input.get(spec.main)
        texts = [_in_project(subject, event)] if isinstance(subject, str) else []
    return [f"{spec.name}({text})" for text in dict.fromkeys(texts)]


def propose(
    calls: Sequence[ApprovedCall], *, enough: int = ENOUGH, tools: ToolTable = STANDARD_TOOLS
) -> list[Proposal]:
    """The patterns for calls of one actor in one folder, for which there is no obstacle."""
    calls_by_pattern: dict[str, list[ApprovedCall]] = {}
    for call in calls:
        for text in literals_of(call.event, tools):
            calls_by_pattern.setdefault(text, []).append(call)
    for glob, texts in _globs(calls_by_pattern, enough, tools).items():
        gathered = [call for text in texts for call in calls_by_pattern.pop(text, [])]
        calls_by_pattern.setdefault(glob, []).extend(gathered)
    proposals = [
        Proposal(pattern=text, calls=tuple(_distinct(matching)))
        for text, matching in calls_by_pattern.items()
        if matching
    ]
    return sorted(proposals, key=lambda proposal: proposal.pattern)


def _globs(texts: Iterable[str], enough: int, tools: ToolTable) -> dict[str, list[str]]:
    """A glob for each set of patterns that differ in one operand and nothing else."""
    shapes: dict[tuple[str, str, str], dict[str, str]] = {}
    for text in texts:
        for shape, operand in _shapes(text, tools):
            shapes.setdefault(shape, {})[operand] = text
    globs: dict[str, list[str]] = {}
    used: set[str] = set()
    for shape, by_operand in sorted(shapes.items(), key=lambda item: (-len(item[1]), str(item[0]))):
        unused = {operand: text for operand, text in by_operand.items() if text not in used}
        if len(unused) >= max(enough, 2):
            before, folder, after = shape
            glob = f"{before}{folder}{_join([operand.rpartition('/')[2] for operand in unused])}{after}"
            fitting = [text for text in unused.values() if _glob_fits(glob, text, tools)]
            if len(fitting) >= enough:
                globs[glob] = fitting
                used.update(fitting)
    return globs


def _glob_fits(glob: str, literal: str, tools: ToolTable) -> bool:
    """Whether a pattern with a `*` is read so that it covers another without one."""
    name, _, rest = literal.partition("(")
    written, subject = glob.partition("(")[2][:-1], rest[:-1]
    spec = tools.spec(name)
    if spec is not None and spec.kind is SubjectKind.SHELL:
        return same_words(subject.split(" "), written)
    return same_word(subject, written)


def _shapes(text: str, tools: ToolTable) -> list[tuple[tuple[str, str, str], str]]:
    """Each place of a pattern that a `*` may take: what stands before, the folder, what stands after."""
    name, _, rest = text.partition("(")
    subject = rest[:-1]
    spec = tools.spec(name)
    if spec is None or spec.kind is SubjectKind.TEXT:
        return []
    if spec.kind is SubjectKind.PATH:
        return [((f"{name}(", _folder(subject), ")"), subject)] if _inside(subject) else []
    words = subject.split(" ")
    if not all(map(PLAIN.fullmatch, words)):
        return []
    sorted_words = sort_arguments([Word(word) for word in words])
    if sorted_words.program is None or sorted_words.commands or words[0].rpartition("/")[2] in _RUNNERS:
        return []
    shapes = []
    for operand in sorted_words.operands:
        at = operand.index
        if operand.role in _OPERANDS and words[at] == operand.word.text and _inside(words[at]):
            before = " ".join([*words[:at], ""])
            after = " ".join(["", *words[at + 1 :]])
            shapes.append(((f"{name}({before}", _folder(words[at]), f"{after})"), words[at]))
    return shapes


def _inside(word: str) -> bool:
    """Whether a word can only name something below the folder it is used in."""
    parts = word.split("/")
    return bool(parts[-1]) and word[:1] not in {"/", "-", "~"} and not {".", ".."} & set(parts)


def _folder(word: str) -> str:
    return word[: word.rfind("/") + 1]


def _join(names: Sequence[str]) -> str:
    """The narrowest text with one `*` that all names fit."""
    start = _common_start(names)
    ends = [name[len(start) :][::-1] for name in names]
    return f"{start}*{_common_start(ends)[::-1]}"


def _common_start(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    differ = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differ, len(first))]


def _in_project(subject: str, event: Event) -> str:
    inside = event.project and subject.startswith(f"{event.project}/")
    return subject[len(event.project or "") + 1 :] if inside else subject


def _parse_literal(text: str) -> Pattern | None:
    """The pattern of a text, if it has a subject without wildcards."""
    if not text.isprintable() or "*" in text or "?" in text:
        return None
    try:
        pattern = parse_pattern(text)
    except PatternError:
        return None
    return pattern if pattern.field is None and pattern.glob else None


def _distinct(calls: Iterable[ApprovedCall]) -> list[ApprovedCall]:
    return list({id(call): call for call in calls}.values())


_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9/_.-]+(?::[A-Za-z0-9_.-]+)?")
_STEP: Final = 2
NEW: Final = 'version: "2.0"\n'


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a list, with comments above it."""

    text: str
    comments: tuple[str, ...] = ()


def with_items(content: str, path: Sequence[str], items: Sequence[Line]) -> str | None:
    """The file with items at the head of the list at a path; None where it is written in braces."""
    root = yaml.compose(content, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    node: Any = root
    below = len(content.splitlines())  # where a new key goes: at the end of the file, or first in its mapping
    for depth, key in enumerate(path):
        child = _child(node, key)
        if child is None:
            column = root.start_mark.column if node is root else node.value[0][0].start_mark.column
            return _insert(content, below, column, path[depth:], items)
        key_node, node = child
        below = key_node.start_mark.line + 1
        if isinstance(node, yaml.ScalarNode) and node.value == "":
            return _insert(content, below, key_node.start_mark.column + _STEP, path[depth + 1 :], items)
        if getattr(node, "flow_style", False) or isinstance(node, yaml.ScalarNode):
            return None
    return _insert(content, below, node.start_mark.column, (), items)


def _child(node: Any, key: str) -> tuple[Any, Any] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((name, value) for name, value in node.value if name.value == key), None)


def _insert(content: str, at: int, column: int, path: Sequence[str], items: Sequence[Line]) -> str:
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


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """A pattern for one actor in one folder, and the evidence for it."""

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
        """The evidence in one line."""
        times = f"{self.count} times" if self.count > 1 else "once"
        span = (
            self.first[:10] if self.first[:10] == self.last[:10] else f"{self.first[:10]} to {self.last[:10]}"
        )
        entries = ", ".join(map(str, self.seqs)) + (" …" if self.count > len(self.seqs) else "")
        return f"approved {times}, {span}, by {', '.join(self.by)}; entries {entries}"


def keep_asked(
    calls: Iterable[ApprovedCall], policies: TriedPolicies, answers: Answers, left_out: Counter[str]
) -> list[ApprovedCall]:
    """The approved calls that the policy still asks about and that a pattern can match."""
    asked_calls = []
    for call in calls:
        why = find_obstacle(call) or _objection(call, policies, answers)
        if why is None:
            asked_calls.append(call)
        else:
            left_out[why] += 1
    return asked_calls


def _objection(call: ApprovedCall, policies: TriedPolicies, answers: Answers) -> str | None:
    """Why the current policy does not ask about a call, or None."""
    event = msgspec.structs.replace(call.event, host="claude-code", session_id="suggest")
    tried = policies.load_for(event)
    if tried is None:
        return "the policy of that project does not load"
    answers.open(RecordedDecision(event=event.name, decision="ask"))
    decision = tried.settle(event, tried.engine.decide_sync(event))
    if decision.denied:
        return f"the policy denies it today ({decision.decided_by})"
    if decision.vote is not Vote.ASK:
        return "nothing asks about it any more"
    return "a named person must approve it" if decision.approvers else None


def make_suggestions(calls: Sequence[ApprovedCall], enough: int = ENOUGH) -> list[Suggestion]:
    """The lines to add, for every folder and actor on its own."""
    groups: dict[tuple[str, str], list[ApprovedCall]] = {}
    for call in calls:
        groups.setdefault((os.path.realpath(call.call.cwd), call.actor), []).append(call)
    suggestions = []
    for (folder, actor), group in sorted(groups.items()):
        for proposal in propose(group, enough=enough):
            evidence = [call.evidence for call in proposal.calls]
            suggestions.append(
                Suggestion(
                    folder=folder,
                    actor=actor,
                    pattern=proposal.pattern,
                    count=sum(row.count for row in evidence),
                    seqs=tuple(sorted((seq for row in evidence for seq in row.seqs), reverse=True)[:5]),
                    first=min(row.first for row in evidence),
                    last=max(row.last for row in evidence),
                    by=tuple(sorted({by for row in evidence for by in row.by})),
                )
            )
    return suggestions


def edit(content: str, lines: Sequence[Suggestion]) -> str:
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
