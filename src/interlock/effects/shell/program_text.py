"""Code for an interpreter: noted, and searched for the texts it gives to a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from os.path import join
from typing import TYPE_CHECKING, Final, NamedTuple

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.program import Arguments, Program, Role
from interlock.effects.programs.roles import LITTLE, is_plain_code
from interlock.effects.shell.context import CommandContext, TextSpan
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.other_languages import foreign_source, removals_in, texts_for_shells, unescaped
from interlock.effects.shell.scope import Scope

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

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
    """Yield the shell lines in rules for `make`: those after a tab or semicolon, with unknown variables."""
    joined = rules.replace("\\\n", " ")
    for line in joined.split("\n"):
        recipe = line[1:] if line[:1] == "\t" else _AT_ONCE.match(line)
        if recipe is not None:
            text = recipe if isinstance(recipe, str) else recipe[1]
            yield _OF_MAKE.sub("$1", text.lstrip(" \t@+-")).replace("$$", "$")


def note_make(arguments: Arguments, context: CommandContext, findings: Findings, by: str) -> None:
    """Note where a word or a variable decides what `make` runs besides its recipes."""
    if context.scope.files:
        _note_rules(arguments, context, findings)
    words = [operand.word for operand in arguments.operands]
    for name, value in (*_exported_variables(context), *context.environment):
        if name == "SHELL":
            words.append(Word(f"SHELL={value.text}", value.fixed))
        elif name in _MORE_WORDS and _may_decide(value):
            findings.gap(GapKind.OPEN, f"`{name}` decides what `make` runs", by)
    for word in words:
        if "=" in word.text and _decides(word):
            findings.gap(GapKind.OPEN, f"`{word.text}` decides what `make` runs", by)


def _note_rules(arguments: Arguments, context: CommandContext, findings: Findings) -> None:
    """Note rules that this text has written: `make` runs them although no word names their file."""
    values = {flag.name: flag.value.text for flag in arguments.flags if flag.value is not None}
    for name in _RULES if "-f" not in values else ():
        made = context.scope.made(join(values.get("-C", ""), name))
        if made is None or made.content is None:
            continue
        if made.content.kind is FeedKind.TEXT:
            findings.gap(GapKind.CODE, "rules for `make`", made.content.text)
        elif made.content.source is not GapKind.OPEN:  # editing rules and then running them is normal
            findings.gap(made.content.source, "`make` runs rules from another place", made.content.text)


def _exported_variables(context: CommandContext) -> list[tuple[str, Word]]:
    """Return the variables that the text has set before, which may be exported."""
    variables = context.scope.variables
    known = [(name, Word(value)) for name in ("SHELL", *_MORE_WORDS) if (value := variables.get(name))]
    return [*known, ("SHELL", Word("", fixed=False))] if variables.get("SHELL", "") is None else known


def _may_decide(value: Word) -> bool:
    if not value.fixed:
        return _CORES.fullmatch(value.text) is None
    return _DECIDING.search(value.text) is not None


def _decides(word: Word) -> bool:
    match = _SETTING.fullmatch(word.text)
    if match is None:
        return False
    name, value = match["name"], match["value"]
    if name == "SHELL":
        return not word.fixed or _SHELL.fullmatch(value) is None
    if name == ".SHELLFLAGS":
        return not word.fixed or _SHELL_FLAGS.fullmatch(value) is None
    return match["sign"] == "!" or (word.fixed and _RUNS.search(value) is not None)


_NUMBER: Final = re.compile(r"\$\(\([\w\s${}#+*/%-]*\)\)|\$[#?]|\$\{#\w+\}", re.ASCII)
# Matched against the original text, so that nothing quoted looks like a number.
_CODE: Final = re.compile(rf'"((?:[^"\\$`]++|{_NUMBER.pattern})*)"', re.ASCII)


def is_plain_but_for_numbers(
    word: Word, words: tuple[Word, ...], place: TextSpan, entry: Program | None
) -> bool:
    """Return whether a word of code has no unknown parts but numbers, and only transforms its input."""
    spans = place.spans
    if entry is None or entry.name not in LITTLE or spans is None or len(spans) != len(words):
        return False
    at = next((at for at, other in enumerate(words) if other is word), None)
    match = None if at is None else _CODE.fullmatch(place.text, spans[at].start, spans[at].end)
    return match is not None and is_plain_code(entry.name, Word(_NUMBER.sub("1", match[1])))


_LONGEST: Final = 20_000
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_SYSTEM: Final = re.compile(r"(?<!\w)system\s*\(")
_PRINTED: Final = re.compile(rf"\|\s*({_STRING})(?=\s*(?:[;}}\n)]|\Z))")
_READ: Final = re.compile(rf"({_STRING})\s*\|\s*getline")
_PIECE: Final = re.compile(
    rf"\s+|(?P<string>{_STRING})|(?P<field>\$\w+|\$\([^()]*\))|(?P<other>[^\s()\"]+|[()])"
)

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*\)")


class ShellText(NamedTuple):
    """A text that a program gives to a shell."""

    text: str
    fed: bool = False  # its input is what the program prints


def texts_of_awk(code: str) -> Iterator[ShellText]:
    """Yield the shell texts in awk code; `$1` stands for what is only known at run time."""
    if len(code) > _LONGEST:
        return
    for call in _SYSTEM.finditer(code):
        named = _NAMED.match(code, call.end())
        given = _value_of(named[1], code) if named else None
        if named and given is None:  # set from outside: `awk -v cmd=…`
            yield ShellText("$1")
        else:
            yield ShellText(
                _join_strings(code, call.end(), 1) if given is None else _join_strings(given, 0, 0)
            )
    for printed in _PRINTED.finditer(code):
        yield ShellText(unescaped(printed[1][1:-1]), fed=True)
    for read in _READ.finditer(code):
        yield ShellText(unescaped(read[1][1:-1]))


def _join_strings(code: str, at: int, depth: int) -> str:
    """Join strings and fields to the end of the call, or of the value at depth 0."""
    parts: list[str] = []
    while (piece := _PIECE.match(code, at)) is not None:
        at = piece.end()
        depth += (piece["other"] == "(") - (piece["other"] == ")")
        if depth == 0 and piece["other"] == ")":
            break
        if piece["string"] is not None:
            parts.append(unescaped(piece["string"][1:-1]))
        elif piece["field"] is not None:
            parts.append("$1")
        elif (given := _value_of(piece["other"] or "", code)) is not None:
            parts.append(_join_strings(given, 0, 0))
    return "".join(parts)


def _value_of(name: str, code: str) -> str | None:
    """Return the code of a variable's value: `cmd = "rm " $1; system(cmd)`."""
    if not name.isidentifier():
        return None
    match = re.search(rf"(?<![\w$]){name}[ \t]*=(?!=)([^;\n}}]*)", code)
    return match[1] if match else None


_WAYS: Final = {
    GapKind.DECODED: "decoded text",
    GapKind.NETWORK: "text from another machine",
    GapKind.OPEN: "its input",
    GapKind.ENDLESS: "itself without end",
}
_CHARACTERS: Final = 16  # of code count as much work as one word


def note_code(
    code: str,
    name: str,
    entry: Program | None,
    context: CommandContext,
    child: Scope,
    walker: Walker,
) -> None:
    """Note program text for the interpreter of this name, and read what it gives to a shell."""
    findings = walker.findings
    findings.gap(GapKind.CODE, f"program text for `{name}`", code, folders=child.folders)
    language = entry.name.partition(" ")[0] if entry is not None else ""
    findings.spend(len(code) // _CHARACTERS)
    via = (*context.via, name)
    if language == "awk":
        source = context.feed if context.feed.kind is FeedKind.OPEN else Feed(FeedKind.OPEN, code)
        for shell_text in texts_of_awk(code):
            inside = child.copy()
            inside.input = source if shell_text.fed else None
            if shell_text.text.lstrip()[:1] == "$":  # a field of its input, run as a command
                findings.gap(source.source, f"`{name}` runs {_WAYS[GapKind.OPEN]}", code)
            else:
                walker.read_text(shell_text.text, inside, via)
        return
    for text in recipes_in(code) if name in MAKES else texts_for_shells(language, code):
        walker.read_text(text, child.copy(), via)
    for text in removals_in(code):
        walker.read_text(text, child.copy(), via)
    if (kind := foreign_source(language, code)) is not None:
        findings.gap(kind, f"`{name}` runs {_WAYS[kind]}", code)


_MOST_WORDS: Final = 50  # after `:::`
# Options that do not change what replaces `{}`.
_PLAIN: Final = frozenset(
    ("-j", "-k", "-t", "-v", "-u", "-r", "--bar", "--eta", "--will-cite", "--tag", "--halt", "--delay",
     "--timeout", "--retries", "--joblog", "--results", "--line-buffer", "--lb", "--load", "--nice")
)  # fmt: skip
_PIPING: Final = frozenset({"--pipe", "--pipepart"})  # what it is given is the input of the text
_LIST: Final = ":::"
_FILES: Final = "::::"
_LISTS: Final = (":::+", "::::")
_MEANING: Final = re.compile(r"[;&|<>()$`\\'\"#*?\[\n]")  # more than words
_HOLE: Final = "{}"
_HOLES: Final = re.compile(r"\{(?P<number>[0-9]?)(?P<part>//|/\.|/|\.)?\}")


def fed_in_parallel(whole: Word, arguments: Arguments) -> tuple[Word, ...] | None:
    """Return an `xargs` command that does the same, if unknown lines are added to plain words."""
    if not whole.fixed or _MEANING.search(whole.text) or _is_piped(arguments) or _has_list(arguments):
        return None
    if _runs_lines(arguments):
        return None
    return (Word("xargs"), *map(Word, whole.text.split()))


def texts_in_parallel(whole: Word, arguments: Arguments) -> list[Word]:
    """Return the shell texts, with the words after `:::` in place of `{}` or at the end."""
    if _runs_lines(arguments):
        return [Word(_HOLE, fixed=False)]
    given = [o.word for o in arguments.operands if o.role is not Role.SHELL]
    named = [word for word in given if not word.text.startswith(_LIST)]
    if texts := _each(whole, given, arguments):
        return texts
    if not _has_list(arguments) and "{" not in whole.text and not _is_piped(arguments):
        return [Word(f"{whole.text} {_HOLE}", whole.fixed)]
    return [whole, Word(" ".join((whole.text, *(word.text for word in named))), whole.fixed)]


def _each(whole: Word, given: list[Word], arguments: Arguments) -> list[Word]:
    """Return a text for each combination of words from the lists; none if they are unknown."""
    lists: list[list[str]] = []
    for word in given:
        if word.text == _LIST:
            lists.append([])
        elif word.text.startswith(_LIST) or not lists or not word.fixed:
            return []
        else:
            lists[-1].append(word.text)
    if not lists or not 0 < prod(map(len, lists)) <= _MOST_WORDS:
        return []
    if any(flag.name not in _PLAIN for flag in arguments.flags):
        return []
    if whole.text == _HOLE and len(lists) == 1:
        return [Word(text, whole.fixed) for text in lists[0]]
    if not _HOLES.search(whole.text):
        return []
    return [Word(_fill(whole.text, chosen), whole.fixed) for chosen in product(*lists)]


def _fill(text: str, chosen: Sequence[str]) -> str:
    """Put words into a text: `{}`, `{2}`, `{.}` without the ending, `{/}` only the last name."""

    def put(hole: re.Match[str]) -> str:
        number, part = int(hole["number"] or 0), hole["part"] or ""
        if number > len(chosen):
            return hole.group()
        meant = chosen[number - 1 : number] if number else chosen
        return " ".join(shlex.quote(_part(word, part)) for word in meant)

    return _HOLES.sub(put, text)


def _part(word: str, part: str) -> str:
    folder, slash, name = word.rpartition("/")
    if part == "//":
        return folder or (slash or ".")
    path = name if "/" in part else word
    return re.sub(r"(?<=[^/])\.[^./]*$", "", path) if "." in part else path


def names_a_list(words: Sequence[Word]) -> bool:
    """Return whether the arguments are read from a file: `parallel -a list`."""
    return any(word.text.startswith(("-a", "--arg-file")) for word in words[1:])


def _runs_lines(arguments: Arguments) -> bool:
    """Return whether the lines of files are whole commands: `parallel :::: list`."""
    return arguments.operands[0].word.text.startswith(_FILES)


def _is_piped(arguments: Arguments) -> bool:
    return any(flag.name in _PIPING for flag in arguments.flags)


def _has_list(arguments: Arguments) -> bool:
    """Return whether words, not lines of a file or the input, replace `{}`."""
    return any(
        operand.word.text.startswith(_LIST) and not operand.word.text.startswith(_LISTS)
        for operand in arguments.operands
    )
