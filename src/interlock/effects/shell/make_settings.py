"""Settings of `make` that decide what runs its recipes, or run something themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import join
from typing import Final

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.arguments import Arguments
from interlock.effects.shell.context import CommandContext
from interlock.effects.shell.feed import FeedKind
from interlock.effects.shell.findings import Findings

MAKES: Final = frozenset({"make", "gmake", "bmake"})
_SETTING: Final = re.compile(r"\s*(?P<name>[^\s:+?!=]+)\s*(?P<sign>::?:?|[+?!])?=\s*(?P<value>.*)", re.DOTALL)
_SHELL: Final = re.compile(r"(?:/bin/|/usr/bin/|/usr/local/bin/|/opt/homebrew/bin/)?(?:ba|da|a|z|k|mk)?sh")
_SHELL_FLAGS: Final = re.compile(r"(?:\s*(?:-[a-z]+|pipefail|errexit|nounset))*\s*")
_RUNS: Final = re.compile(r"\$[({]\s*(?:shell|eval|file|guile|load)\b")
_RULES: Final = ("GNUmakefile", "makefile", "Makefile")
_MORE_WORDS: Final = frozenset({"MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS"})  # are taken for words of its own
_DECIDING: Final = re.compile(r"=|-E|--e")
_AT_ONCE: Final = re.compile(r"[^\s:=#][^:=#]*::?[^=;]*;(.*)")  # `target: ; recipe`
_OF_MAKE: Final = re.compile(r"(?<!\$)\$(?:\([^()]*\)|\{[^{}]*\}|[^$(){}\w]|\w)")
_CORES: Final = re.compile(r"-j ?\$\((?:nproc|getconf|sysctl)\b[\w. -]*\)")


def recipes_in(rules: str) -> Iterator[str]:
    """What a shell gets of rules for `make`: the lines behind a tab or a semicolon, their variables open."""
    joined = rules.replace("\\\n", " ")
    for line in joined.split("\n"):
        recipe = line[1:] if line[:1] == "\t" else _AT_ONCE.match(line)
        if recipe is not None:
            text = recipe if isinstance(recipe, str) else recipe[1]
            yield _OF_MAKE.sub("$1", text.lstrip(" \t@+-")).replace("$$", "$")


def note_make(arguments: Arguments, context: CommandContext, found: Findings, by: str) -> None:
    """Note where a word or a variable decides what `make` runs besides its recipes."""
    if context.scope.files:
        _note_rules(arguments, context, found)
    words = [operand.word for operand in arguments.operands]
    for name, value in (*_exported_variables(context), *context.environment):
        if name == "SHELL":
            words.append(Word(f"SHELL={value.text}", value.fixed))
        elif name in _MORE_WORDS and _may_decide(value):
            found.gap(GapKind.OPEN, f"`{name}` decides what `make` runs", by)
    for word in words:
        if "=" in word.text and _decides(word):
            found.gap(GapKind.OPEN, f"`{word.text}` decides what `make` runs", by)


def _note_rules(arguments: Arguments, context: CommandContext, found: Findings) -> None:
    """Rules that this text has written are what runs, though no word names their file."""
    values = {flag.name: flag.value.text for flag in arguments.flags if flag.value is not None}
    for name in _RULES if "-f" not in values else ():
        made = context.scope.made(join(values.get("-C", ""), name))
        if made is None or made.content is None:
            continue
        if made.content.kind is FeedKind.TEXT:
            found.gap(GapKind.CODE, "rules for `make`", made.content.text)
        elif made.content.source is not GapKind.OPEN:  # who edits rules runs them next
            found.gap(made.content.source, "`make` runs rules from another place", made.content.text)


def _exported_variables(context: CommandContext) -> list[tuple[str, Word]]:
    """What the text has set before, which may be exported."""
    variables = context.scope.variables
    known = [(name, Word(value)) for name in ("SHELL", *_MORE_WORDS) if (value := variables.get(name))]
    return [*known, ("SHELL", Word("", fixed=False))] if variables.get("SHELL", "") is None else known


def _may_decide(value: Word) -> bool:
    if not value.fixed:
        return _CORES.fullmatch(value.text) is None
    return _DECIDING.search(value.text) is not None


def _decides(word: Word) -> bool:
    found = _SETTING.fullmatch(word.text)
    if found is None:
        return False
    name, value = found["name"], found["value"]
    if name == "SHELL":
        return not word.fixed or _SHELL.fullmatch(value) is None
    if name == ".SHELLFLAGS":
        return not word.fixed or _SHELL_FLAGS.fullmatch(value) is None
    return found["sign"] == "!" or (word.fixed and _RUNS.search(value) is not None)
