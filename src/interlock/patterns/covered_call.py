"""Whether patterns cover every part of a call word for word, and nothing more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from interlock.effects.command import Command
from interlock.events.event import Event
from interlock.events.hook import Pattern, PatternList
from interlock.events.tool import SubjectKind, ToolTable
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex

# One argument or a part of one: no option, no other folder, nothing that a shell expands.
_RUN: Final = "[A-Za-z0-9_.-]*"
_FIRST: Final = "[A-Za-z0-9_]"  # no option, no hidden file; `+main` and `:main` are more than names
PLAIN: Final = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")  # a word that means itself in a shell and in a pattern
_OUTSIDE: Final = "dangerouslyDisableSandbox"  # it makes any command another call
_QUOTES: Final = frozenset("'\"\\$`")


def covered(event: Event, patterns: Sequence[Pattern], tools: ToolTable) -> bool:
    """Return whether patterns together cover every part of a call and nothing more."""
    if event.tool is None or event.tool.input.get(_OUTSIDE):
        return False
    listed = PatternList(patterns)
    view = LocalCallView(event, PatternIndex(listed.patterns, tools))
    if view.is_long or view.unread or view.allowed(listed) is None:
        return False
    globs = [p.glob for p in patterns if p.tool == tools.canonical(event.tool.name) and p.glob is not None]
    spec = tools.spec(event.tool.name)
    if spec is not None and spec.kind is SubjectKind.SHELL:
        # A wrapper may give a command another folder, priority or environment that no pattern shows.
        return all(_command_covered(command, globs) for command in view.commands)
    subject = event.tool.input.get(spec.main) if spec is not None and spec.main else None
    return isinstance(subject, str) and any(_same_subject(subject, glob, event) for glob in globs)


def _command_covered(command: Command, globs: Sequence[str]) -> bool:
    if not all(word.fixed for word in command.words):
        return False  # only known when it runs
    if command.written in globs:
        return True
    if command.environment or command.writes or command.more or command.via:
        return False
    words = [word.text for word in command.words]
    return any(same_words(words, glob) for glob in globs)


def same_words(words: Sequence[str], glob: str) -> bool:
    """Return whether a command matches a glob word for word; `*` is an argument or part of one, no option."""
    if "*" not in glob or _QUOTES & set(glob):
        return False
    written = glob.split(" ")
    return len(written) == len(words) and all(map(same_word, words, written))


def same_word(word: str, written: str) -> bool:
    """Do the same for one argument or path."""
    if "*" not in written:
        return word == written
    last = word.rpartition("/")[2]
    return (
        word[:1] not in {"-", "~"}
        and last not in {"", ".", ".."}
        and _word(written).fullmatch(word) is not None
    )


def _same_subject(subject: str, glob: str, event: Event) -> bool:
    """Return whether a main field matches as written, or is a plain name in the same folder."""
    forms = [subject]
    if event.project and subject.startswith(f"{event.project}/"):
        forms.append(subject[len(event.project) + 1 :])
    return any(form == glob or same_word(form, glob) for form in forms)


@lru_cache(maxsize=1_024)
def _word(written: str) -> re.Pattern[str]:
    expression = ""
    for number, literal in enumerate(written.split("*")):
        if number:
            begins = not expression or expression.endswith("/")
            expression += f"{_FIRST}{_RUN}" if begins else _RUN
        expression += re.escape(literal)
    return re.compile(expression)
