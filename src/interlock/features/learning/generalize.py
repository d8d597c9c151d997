"""From calls that were approved to the fewest patterns that cover them and nothing that was not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Role
from interlock.errors import PatternError
from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.tool import SubjectKind, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.learning.history import ApprovedCall
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.covered_call import PLAIN, covered, same_word, same_words
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_pattern

ENOUGH: Final = 3  # different operands before a `*` stands for them
# Their operands say what they run, as subcommands do.
_RUNNERS: Final = frozenset(
    "make gmake just task rake npm npx pnpm yarn bun deno cargo gradle mvn ant tox nox invoke".split()
)
_FILES: Final = frozenset({Role.READ, Role.WRITE, Role.EDIT, Role.DELETE})
_OPERANDS: Final = _FILES | {Role.TEXT}


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """One pattern and the calls it is proposed for."""

    pattern: str
    calls: tuple[ApprovedCall, ...]


def unfit(call: ApprovedCall, tools: ToolTable = STANDARD_TOOLS) -> str | None:
    """Why no pattern is proposed for a call, or None."""
    event = call.event
    if call.redacted:
        return "secrets were removed from it"
    if event.tool is None:
        return "it is not a tool call"
    return _unreadable(event, tools) or _unsayable(event, tools)


def _unreadable(event: Event, tools: ToolTable) -> str | None:
    view = LocalCallView(event, PatternIndex((), tools))
    if view.is_long or view.unread:
        return "Interlock cannot read all of it"
    if any(not word.fixed for command in view.commands for word in command.words):
        return "what it does depends on what is there when it runs"
    if any(command.via for command in view.commands if not command.transparent):
        return "one command runs another, which would then be allowed on its own"
    return None


def _unsayable(event: Event, tools: ToolTable) -> str | None:
    literals = literals_of(event, tools)
    patterns = [pattern for text in literals if (pattern := _parsed(text)) is not None]
    said = literals and len(patterns) == len(literals) and covered(event, patterns, tools)
    return None if said else "no pattern matches exactly this"


def literals_of(event: Event, tools: ToolTable = STANDARD_TOOLS) -> list[str]:
    """The patterns that say this call and no other: one for each command of a shell text."""
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
    """The patterns for calls of one actor in one folder, all of them fit."""
    of_pattern: dict[str, list[ApprovedCall]] = {}
    for call in calls:
        for text in literals_of(call.event, tools):
            of_pattern.setdefault(text, []).append(call)
    for glob, texts in _globs(of_pattern, enough, tools).items():
        gathered = [call for text in texts for call in of_pattern.pop(text, [])]
        of_pattern.setdefault(glob, []).extend(gathered)
    found = [Proposal(pattern=text, calls=tuple(_distinct(of))) for text, of in of_pattern.items() if of]
    return sorted(found, key=lambda one: one.pattern)


def _globs(texts: Iterable[str], enough: int, tools: ToolTable) -> dict[str, list[str]]:
    """A glob for each set of patterns that differ in one operand and nothing else."""
    shapes: dict[tuple[str, str, str], dict[str, str]] = {}
    for text in texts:
        for shape, operand in _shapes(text, tools):
            shapes.setdefault(shape, {})[operand] = text
    found: dict[str, list[str]] = {}
    used: set[str] = set()
    for shape, by_operand in sorted(shapes.items(), key=lambda item: (-len(item[1]), str(item[0]))):
        left = {operand: text for operand, text in by_operand.items() if text not in used}
        if len(left) >= max(enough, 2):
            before, folder, after = shape
            glob = f"{before}{folder}{_joined([operand.rpartition('/')[2] for operand in left])}{after}"
            fitting = [text for text in left.values() if _says(glob, text, tools)]
            if len(fitting) >= enough:
                found[glob] = fitting
                used.update(fitting)
    return found


def _says(glob: str, literal: str, tools: ToolTable) -> bool:
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


def _joined(names: Sequence[str]) -> str:
    """The narrowest text with one `*` that all names fit."""
    start = _shared(names)
    ends = [name[len(start) :][::-1] for name in names]
    return f"{start}*{_shared(ends)[::-1]}"


def _shared(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    differ = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differ, len(first))]


def _in_project(subject: str, event: Event) -> str:
    inside = event.project and subject.startswith(f"{event.project}/")
    return subject[len(event.project or "") + 1 :] if inside else subject


def _parsed(text: str) -> Pattern | None:
    """The pattern a text is, if it says its subject and has no way to say more."""
    if not text.isprintable() or "*" in text or "?" in text:
        return None
    try:
        pattern = parse_pattern(text)
    except PatternError:
        return None
    return pattern if pattern.field is None and pattern.glob else None


def _distinct(calls: Iterable[ApprovedCall]) -> list[ApprovedCall]:
    return list({id(call): call for call in calls}.values())
