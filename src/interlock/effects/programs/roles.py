"""What each operand means to a program, by its position and its text; sed and awk code is inspected."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.program import Option, Program, Role

# Writing to these changes no file.
STREAMS: Final = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
# Operands that mean something else if their text matches.
_TRANSPORT: Final = (re.compile(r"\Aext::"), Role.CODE)  # git runs what follows
_ALIAS: Final = (re.compile(r"\A!"), Role.CODE)  # for a shell
_SCRIPT: Final = (re.compile(r"\Ascripts[.\[]"), Role.ASSIGNED)  # of a project, for a shell
_ROLE_BY_PATTERN: Final = {
    **dict.fromkeys(("git clone", "git fetch", "git pull", "git ls-remote"), _TRANSPORT),
    "git config": _ALIAS,
    "gh alias set": _ALIAS,
    **dict.fromkeys(("npm pkg set", "pnpm pkg set", "bun pm pkg set"), _SCRIPT),
    "tmux send-keys": (re.compile(r"\A(?:[CM]-[a-z]|Enter|Escape|Tab|Up|Down)\Z"), Role.TEXT),  # key names
    "tmux display-message": (re.compile(r"#\("), Role.CODE),  # a command in a format
    "ed": (re.compile(r"\A!"), Role.CODE),  # edits the output of a command
    "export": (re.compile("="), Role.ENV),  # with `-n`, too: a plain `export` brings the value back
    "fx": (re.compile("[(=`]"), Role.CODE),  # more than a path into the data
    # A port: `lsof -i :3000`.
    "lsof": (re.compile(r"\A(?:TCP|UDP|tcp|udp)?(?:@[^/]*)?:[\w,-]+\Z"), Role.TEXT),
    "man": (re.compile("/"), Role.READ),  # shows this file
    "mlr": (re.compile(r"[({$]"), Role.CODE),  # of a later verb: `mlr sort -f a then put '…'`
    "yq": (re.compile(r"\bload"), Role.CODE),  # an expression that reads other files
}
_LABELS: Final = frozenset(("e2label", "fatlabel", "xfs_admin"))  # with one operand they only show a label
_SHOWING_PARTS: Final = frozenset(("print", "unit", "help", "version", "align-check", "quit"))  # of `parted`
_CHANGING_PARTS: Final = re.compile(
    r"\A(?:mk\w*|rm|resize\w*|name|set|toggle|rescue|disk_\w+|type|select|move|cp|check)\Z"
)
ROLES_BY_TEXT: Final = frozenset(
    ("parallel", "scp", "rsync", "tee", "gcloud compute scp", "parted", *_LABELS, *_ROLE_BY_PATTERN)
)
# Module names are looked up faster than class members.
_TEXT, _COMMAND, _ENV, _SHELL, _NETWORK = Role.TEXT, Role.COMMAND, Role.ENV, Role.SHELL, Role.NETWORK


def operand_roles(program: Program, count: int, change: Role | None, *, drops: bool) -> list[Role]:
    """Return a role for each of `count` operands; `change` is the role that options give them instead."""
    first = () if drops else program.operands
    last = program.last
    rest = program.rest or _TEXT
    if change is None and not first and not last:
        return [rest] * count
    if change is not None:
        rest, last = change, ()
        first = tuple([role for role in first if role is not _COMMAND])
    elif last[:1] == (_COMMAND,):
        last = ()  # the command was already taken, or there is none
    ending = min(len(last), count)
    roles = list(first[: count - ending])
    roles.extend([rest] * (count - ending - len(roles)))
    if ending:
        roles.extend(last[-ending:])
    return roles


def begins_command(program: Program, place: int, text: str, change: Role | None, *, drops: bool) -> bool:
    """Return whether the operand at this place is the first word of a command that the program runs."""
    first = () if drops else program.operands
    if place < len(first) and (first[place] is not _COMMAND or change is None):
        return first[place] is _COMMAND
    if change is not None:
        return change is _COMMAND
    if program.last[:1] == (_COMMAND,):
        return not (program.rest is _ENV and "=" in text)
    return program.rest is _COMMAND


def tail(words: Sequence[Word], at: int, options: Mapping[str, Option]) -> tuple[Word, ...]:
    """Return the command that begins here, without a `--` that the program drops (`npm exec rm -- -rf x`)."""
    command = tuple(words[at:])
    if command[0].text == "--" and len(command) > 1:
        return command[1:]
    if "--" in options:
        end = next((place for place, word in enumerate(command) if word.text == "--"), len(command))
        return command[:end] + command[end + 1 :]
    return command


def roles_by_text(program: str, texts: Sequence[str], roles: list[Role]) -> list[Role]:
    """Return the roles of operands that are told apart by their texts."""
    if program == "parallel":
        # A command stands before the first `:::`; without one, the arguments are commands.
        at = next((at for at, text in enumerate(texts) if text.startswith(":::")), len(texts))
        return [
            _SHELL if place < at or (at == 0 and not text.startswith(":::")) else _TEXT
            for place, text in enumerate(texts)
        ]
    if program == "tee":
        return [_TEXT if text in STREAMS else role for text, role in zip(texts, roles, strict=True)]
    if program in _LABELS:
        return [Role.READ] if len(texts) == 1 else roles
    if program == "parted":
        shows = texts[1:2] and texts[1] in _SHOWING_PARTS and not any(map(_CHANGING_PARTS.match, texts[1:]))
        return [Role.READ, *roles[1:]] if shows else roles
    if program in _ROLE_BY_PATTERN:
        mark, change = _ROLE_BY_PATTERN[program]
        return [change if mark.search(text) else role for text, role in zip(texts, roles, strict=True)]
    return [_NETWORK if _is_remote(text) else role for text, role in zip(texts, roles, strict=True)]


def _is_remote(text: str) -> bool:
    """Return whether a colon stands before any slash, as in `host:path` and URLs."""
    host, colon, _ = text.partition(":")
    return bool(colon and host) and "/" not in host


_VERSION: Final = re.compile(r"(?:(?:c?python|pypy)@?)?[0-9]+(?:\.[0-9]+)*", re.ASCII)


def special_case(option: Option, value: Word) -> tuple[Option, Word]:
    """Return what an option is for this value, and the part of it that counts (`-o ProxyCommand=CMD`)."""
    # Readers of settings ignore blanks and quotes around the name.
    text = value.text.lstrip(' \t"' if value.fixed else " \t\"'")
    low = text.lower()
    for start, special in option.cases:
        if start[0] in "=#":  # the whole value
            if not value.fixed or (text != start[1:] if start[0] == "=" else not _VERSION.fullmatch(text)):
                continue
            return special, value
        if start[0] == "*":
            _, mark, rest = text.partition(start[1:])
            if not mark:
                continue
        elif low.startswith(start):
            rest = text[len(start) :]
            if start[-1] == ".":
                rest = rest.partition("=")[2]
        else:
            continue
        return special, Word(rest.lstrip(' \t"=').removeprefix("!"), value.fixed, value.splits)
    return option, value


LITTLE: Final = frozenset(("sed", "awk"))  # programs whose code is inspected

_LONGEST: Final = 4000  # characters; longer code is not inspected

_SED_SIMPLE: Final = frozenset("pPdDnNgGhHxzl=qQ{}")
_SED_ADDRESS: Final = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\.|\[[^\]\n]*\])*/[IM]*)")
_SED_SECOND: Final = re.compile(r"\s*,\s*(?:[+~]?\d+|\$|/(?:[^/\\\n\[]|\\.|\[[^\]\n]*\])*/[IM]*)")
_SED_FLAGS: Final = re.compile(r"[gpiIMm0-9]*")
_SED_LABEL: Final = re.compile(r"\s*[A-Za-z0-9_]*\s*(?=[;}\n]|$)")
_SED_NUMBER: Final = re.compile(r"\s*\d*")

_AWK_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n|\#[^\n]*) | (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+) | (?P<mark>\|\||&&|[<>=!+\-*%^]=|\+\+|--|!~|[^\w\s"])
      | (?P<line>\n)""",
    re.VERBOSE,
)
_AWK_REGEX: Final = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]\n]*\])*/")
_AWK_POWERS: Final = frozenset(
    "system getline close fflush ARGV ARGC PROCINFO load include extension readfile".split()
)
_AWK_WORDS: Final = re.compile(r"\w+")
_AWK_STREAM: Final = re.compile(r'>[ \t]*"/dev/std(?:err|out)"[ \t]*(?=[;}\n]|\Z)')
_AWK_KEYWORDS: Final = frozenset("in return print printf case else do exit".split())


def is_plain_code(program: str, code: Word) -> bool:
    """Return whether this code certainly does nothing but transform the input."""
    if not code.fixed or len(code.text) > _LONGEST:
        return False
    return is_plain_sed(code.text) if program == "sed" else is_plain_awk(code.text)


def is_plain_sed(text: str) -> bool:
    """Return whether a sed script touches no file and runs nothing."""
    at = 0
    while at < len(text):
        if text[at] in " \t\n;":
            at += 1
            continue
        at = _sed_command(text, _sed_addresses(text, at))
        if at < 0:
            return False
    return True


def _sed_addresses(text: str, at: int) -> int:
    first = _SED_ADDRESS.match(text, at)
    if first is not None:
        at = first.end()
        if (second := _SED_SECOND.match(text, at)) is not None:
            at = second.end()
    while at < len(text) and text[at] in " \t!":
        at += 1
    return at


def _sed_command(text: str, at: int) -> int:
    """Return where one command ends, -1 if it is not known to be harmless."""
    letter = text[at : at + 1] or "?"
    after = -1
    if letter in _SED_SIMPLE:
        number = _SED_NUMBER.match(text, at + 1) if letter in "qQl" else None
        after = number.end() if number is not None else at + 1
    elif letter in "sy":
        after = _sed_substitution(text, at)
    elif letter in "bt:T":
        label = _SED_LABEL.match(text, at + 1)
        after = label.end() if label is not None else -1
    elif letter in "aic":
        after = _sed_text(text, at + 1)
    elif letter == "#":
        end = text.find("\n", at)
        after = end if end >= 0 else len(text)
    return after


def _sed_text(text: str, at: int) -> int:
    """Return where inserted text ends: at the first line end without a backslash."""
    while (end := text.find("\n", at)) >= 0:
        line = text[at:end]
        if (len(line) - len(line.rstrip("\\"))) % 2 == 0:
            return end
        at = end + 1
    return len(text)


def _sed_substitution(text: str, at: int) -> int:
    mark = text[at + 1 : at + 2]
    if mark in ("", "\\", "\n"):
        return -1
    place = at + 2
    for part in (0, 1):
        place = _sed_part(text, place, mark, brackets=part == 0 and text[at] == "s")
        if place < 0:
            return -1
    if text[at] == "y":
        return place
    flags = _SED_FLAGS.match(text, place)
    end = flags.end() if flags is not None else place
    return end if text[end : end + 1] in ("", ";", "}", "\n", " ", "\t") else -1


def _sed_part(text: str, at: int, mark: str, *, brackets: bool) -> int:
    """Return the place after the next mark, -1 if a bracket hides it: programs differ on that."""
    opened = False
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 2
            continue
        if letter == mark:
            return -1 if opened else at + 1
        if brackets and letter == "[" and not opened:
            opened = "]" in text[at + 2 :]
            at += 1 if text[at + 1 : at + 2] == "]" else 0
        elif letter == "]":
            opened = False
        at += 1
    return -1


def is_plain_awk(text: str) -> bool:
    """Return whether an awk program has no commands, pipes, redirects or further files."""
    if _has_power(text):
        return False
    at = braces = parens = 0
    operand = False  # whether a `/` here is a division
    while at < len(text):
        if text[at] == "/" and not operand and (regex := _AWK_REGEX.match(text, at)) is not None:
            at, operand = regex.end(), True
            continue
        if text[at] == ">" and (stream := _AWK_STREAM.match(text, at)) is not None:
            at, operand = stream.end(), True
            continue
        token = _AWK_TOKEN.match(text, at)
        if token is None or _awk_redirects(token[0], braces, parens):
            return False
        if token[0] == "/" and text[:at].rstrip(" \t")[-1:] == ")" and '"' in text[at:]:
            return False  # `if (x) /"/` is not a division: a string may begin at another place than it seems
        at = token.end()
        piece = token[0]
        braces += (piece == "{") - (piece == "}")
        parens += (piece in "([") - (piece in ")]") if token.lastgroup == "mark" else 0
        if token.lastgroup != "space":
            operand = token.lastgroup in ("string", "number") or piece in (")", "]", "$", "++", "--")
            operand = operand or (token.lastgroup == "word" and piece not in _AWK_KEYWORDS)
    return True


def _has_power(text: str) -> bool:
    """Return whether a word that runs or reads more stands anywhere, even in what looks like a string."""
    return any(
        # `1system(…)` is two words.
        word in _AWK_POWERS or (word[0].isdigit() and any(power in word for power in _AWK_POWERS))
        for word in _AWK_WORDS.findall(text)
    )


def _awk_redirects(piece: str, braces: int, parens: int) -> bool:
    """Return whether this is a pipe, an indirect call, or a `>` that is no comparison."""
    return piece in ("|", "@", "\\") or (piece == ">" and braces > 0 and parens == 0)
