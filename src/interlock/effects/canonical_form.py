"""One form for all spellings of a command, and patterns as expressions over it.

The form is `\\x02PROGRAM\\x1fFLAG\\x1fFLAG…\\x1eOPERANDS`: the program by its base name, every flag under
all its names, sorted, a value also as `NAME=VALUE`; then subcommand and operands. A command that it runs
follows in its own form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Final

import re2

from interlock.effects.command import repaired
from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.lookup import base_name, main_name
from interlock.effects.programs.program import Arguments, Flag

MARK: Final = "\x02"
_FLAG: Final = "\x1f"
_OPERANDS: Final = "\x1e"
_SEPARATORS: Final = str.maketrans({MARK: "\ufffd", _FLAG: "\ufffd", _OPERANDS: "\ufffd"})
# A wrapper around a wrapper: deeper ones are plain words here, and commands of their own elsewhere.
_MAX_DEPTH: Final = 4

_WILD: Final = re.compile(r"[*?]")
_WORD: Final = re.compile(r"""(?:[^\s'"\\]|'[^']*'|"[^"]*"|\\.)+""", re.DOTALL)
_QUOTED: Final = re.compile(r"""'([^']*)'|"([^"]*)"|\\(.)""", re.DOTALL)
_JOINT: Final = re.compile(r"[;&|<>()`\n]")
_PLAIN_PROGRAM: Final = re.compile(r"[\w./+@%:,-]+(?=\s|$)")
_ANY_WITH_FLAG: Final = re.compile(r"\*\s+(--[A-Za-z0-9][\w-]*)")
# More flags than these are not tried in every order; those with a wildcard are then not demanded.
_MAX_ORDERED: Final = 4
_MORE_FLAGS: Final = r"(?:\x1f[^\x1e]*)?"
_MORE: Final = r"(?: .*)?"


def form_of(arguments: Arguments, depth: int = 0) -> str:
    """The form of a command."""
    program, subcommand = _program_names(arguments)
    operands = [subcommand] if subcommand else []
    operands += [operand.word.text for operand in arguments.operands]
    for words in arguments.commands:
        if depth < _MAX_DEPTH and words:
            operands.append(form_of(sort_arguments(words), depth + 1))
        else:
            operands += [word.text for word in words]
    head = [program, *_flag_names(arguments.flags)]
    if not "".join(head).isprintable():
        head = [name.translate(_SEPARATORS) for name in head]
    return repaired(f"{MARK}{_FLAG.join(head)}{_OPERANDS}{' '.join(operands)}")


def _flag_names(flags: Sequence[Flag]) -> list[str]:
    """Every name of every flag, sorted, and again with its value where it has one."""
    names: list[str] = []
    for flag in flags:
        own = _names_of(flag)
        names += own
        if flag.value is not None:
            text = flag.value.text
            names += [f"{name}={text}" for name in own]
    return sorted(set(names)) if len(names) > 1 else names


def _names_of(flag: Flag) -> tuple[str, ...]:
    """Every name of a flag."""
    return flag.option.names if flag.option else (flag.name,)


def _program_names(arguments: Arguments) -> tuple[str, str]:
    if arguments.program is None:
        return arguments.name, ""
    program, _, subcommand = arguments.name.partition(" ")
    return program, subcommand


def filed_under(glob: str) -> str:
    """What a command must have for a pattern to match its form: a program, else a flag, else `` for any."""
    plain = _PLAIN_PROGRAM.match(glob)
    if plain is not None:
        return program_key(plain.group())
    flagged = _ANY_WITH_FLAG.match(glob)
    if flagged is not None and flagged.end() == len(glob):
        return flagged[1]
    words = _words(glob)
    if not words or _WILD.search(words[0]):
        return ""
    return program_key(words[0])


@lru_cache(maxsize=8_192)
def program_key(program: str) -> str:
    """The name a form has for a program that is called so."""
    name = main_name(program)
    return base_name(program) if name is None else name.partition(" ")[0]


def pattern_form(glob: str) -> str | None:
    """An expression over forms for a pattern; None where the pattern is about the text alone."""
    words = _words(glob)
    if not words or "=" in words[0] or not any(word.strip("*?") for word in words):
        return None
    if len(words) == 1 and words[0].startswith("*"):
        return None
    return _expression(words)


def _words(glob: str) -> list[str]:
    """Split as a shell splits plain words; nothing where the pattern is not a single command."""
    if _JOINT.search(_QUOTED.sub("", glob)):
        return []
    words = _WORD.findall(glob)
    if "".join(words) != "".join(glob.split()) and not _QUOTED.search(glob):
        return glob.split()  # a lone quote is itself
    return [_QUOTED.sub(lambda quoted: quoted[quoted.lastindex or 0], word) for word in words]


def _expression(words: Sequence[str], depth: int = 0) -> str:
    program = words[0]
    sortable, globs = _apart(words[1:])
    arguments = sort_arguments(tuple(Word(word) for word in (program, *sortable)))
    if arguments.program is not None and arguments.program.style == "single":
        sortable, globs = _apart(words[1:], clusters=False)
        arguments = sort_arguments(tuple(Word(word) for word in (program, *sortable)))
    name, subcommand = _program_names(arguments)
    operands = [*subcommand.split(), *(command.word.text for command in arguments.operands)]
    if program.strip("*") == "":
        operands.insert(0, "*")
    inner = [[word.text for word in command] for command in arguments.commands if command]
    tail = _operands(operands, is_open=_ends_open(words, arguments) and not inner)
    for command in inner:
        if set(command) == {"*"}:
            tail += _MORE if tail else ".*"
        else:
            tail += (" " if tail else "") + _nest(command, depth)
    ways = [_flags([*_required_flags(arguments.flags), *globs])]
    if _WILD.search(program):
        # The program may be one that takes `-name` as one word.
        as_written = [word for word in words[1:] if word.startswith("-") and len(word) > 1]
        ways.append(_flags(as_written))
    flags = "|".join(dict.fromkeys(ways))
    return rf"\x02{_within(name)}(?:{flags}){_MORE_FLAGS}\x1e{tail}"


def _ends_open(words: Sequence[str], arguments: Arguments) -> bool:
    """Whether anything may follow: behind a final `*`, a flag or a flag's value."""
    last = words[-1]
    if last.endswith("*") or (last.startswith("-") and len(last) > 1):
        return True
    flag = arguments.flags[-1] if arguments.flags else None
    return (
        flag is not None
        and flag.value is not None
        and flag.value.text == last
        and flag.index == len(words) - 2
    )


def _nest(words: Sequence[str], depth: int) -> str:
    if depth >= _MAX_DEPTH:
        return _across(" ".join(words))
    return _expression(words, depth + 1)


def _apart(words: Sequence[str], *, clusters: bool = True) -> tuple[list[str], list[str]]:
    """The words that can be sorted, and the flags that are globs."""
    sortable: list[str] = []
    globs: list[str] = []
    options = True
    for word in words:
        options = options and word != "--"
        short = word.rstrip("*")
        if not options or not word.startswith("-") or not _WILD.search(word.partition("=")[0]):
            sortable.append(word)
        elif clusters and len(short) > 1 and not short.startswith("--") and not _WILD.search(short):
            sortable.append(short)  # `-rf*` demands both letters
        else:
            globs.append(word)
    return sortable, globs


def _required_flags(flags: Sequence[Flag]) -> list[str]:
    return [
        flag.name
        if flag.value is None or not flag.value.text.strip("*")
        else f"{flag.name}={flag.value.text}"
        for flag in flags
    ]


def _flags(flags: Sequence[str]) -> str:
    """These flags among all, in the order in which a form has them."""
    distinct = sorted(set(flags))
    wild = [flag for flag in distinct if _WILD.search(flag)]
    if not wild or len(distinct) == 1:
        return _in_order(distinct)
    if len(distinct) > _MAX_ORDERED:
        return _in_order([flag for flag in distinct if flag not in wild])
    return "|".join(_in_order(order) for order in permutations(distinct))


def _in_order(flags: Sequence[str]) -> str:
    return "".join(rf"{_MORE_FLAGS}\x1f{_within(flag)}" for flag in flags)


def _operands(words: Sequence[str], *, is_open: bool) -> str:
    """The operands; a lone `*` may be nothing, or flags that stand elsewhere in the form."""
    pattern = ""
    stars_first = False
    for word in words:
        star = not word.strip("*")
        if star and not pattern:
            stars_first = True
        elif star:
            pattern += "" if pattern.endswith(_MORE) else _MORE
        elif not pattern:
            pattern = ("(?:.* )?" if stars_first else "") + _across(word)
        else:
            pattern += " " + _across(word)
    if not pattern:
        return ".*" if stars_first or is_open else ""
    return pattern + _MORE if is_open and not pattern.endswith((_MORE, ".*")) else pattern


def _within(glob: str) -> str:
    """A glob inside the program's name or one flag."""
    return _translate(glob, r"[^\x1e\x1f]*", r"[^\x1e\x1f]")


def _across(glob: str) -> str:
    return _translate(glob, ".*", ".")


def _translate(glob: str, any_run: str, any_character: str) -> str:
    parts: list[str] = []
    last = 0
    for wild in _WILD.finditer(glob):
        parts += (re2.escape(glob[last : wild.start()]), any_run if wild.group() == "*" else any_character)
        last = wild.end()
    return "".join((*parts, re2.escape(glob[last:])))
