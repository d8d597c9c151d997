"""Which part each operand of a program plays, by its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.program import Option, Program, Role

# What is written there is in no file.
STREAMS: Final = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
# Operands that are something else where they look so.
_TRANSPORT: Final = (re.compile(r"\Aext::"), Role.CODE)  # git runs what follows
_ALIAS: Final = (re.compile(r"\A!"), Role.CODE)  # for a shell
_SCRIPT: Final = (re.compile(r"\Ascripts[.\[]"), Role.ASSIGNED)  # of a project, for a shell
_TELLING: Final = {
    "git clone": _TRANSPORT,
    "git fetch": _TRANSPORT,
    "git pull": _TRANSPORT,
    "git ls-remote": _TRANSPORT,
    "git config": _ALIAS,
    "gh alias set": _ALIAS,
    "npm pkg set": _SCRIPT,
    "pnpm pkg set": _SCRIPT,
    "bun pm pkg set": _SCRIPT,
    "tmux send-keys": (re.compile(r"\A(?:[CM]-[a-z]|Enter|Escape|Tab|Up|Down)\Z"), Role.TEXT),  # keys by name
    "tmux display-message": (re.compile(r"#\("), Role.CODE),  # a command in a format
    "ed": (re.compile(r"\A!"), Role.CODE),  # edits what a command prints
    "export": (re.compile("="), Role.ENV),  # with `-n`, too: a plain `export` brings the value back
    "fx": (re.compile("[(=`]"), Role.CODE),  # more than a path into the data
    "lsof": (
        re.compile(r"\A(?:TCP|UDP|tcp|udp)?(?:@[^/]*)?:[\w,-]+\Z"),
        Role.TEXT,
    ),  # a port: `lsof -i :3000`
    "man": (re.compile("/"), Role.READ),  # shows this file
    "mlr": (re.compile(r"[({$]"), Role.CODE),  # of a later verb: `mlr sort -f a then put '…'`
    "yq": (re.compile(r"\bload"), Role.CODE),  # an expression that reads other files
}
# Of these, one operand alone is looked at; of `parted`, a disk with words that only show.
_LABELS: Final = frozenset(("e2label", "fatlabel", "xfs_admin"))
_SHOWING_PARTS: Final = frozenset(("print", "unit", "help", "version", "align-check", "quit"))
_CHANGING_PARTS: Final = re.compile(
    r"\A(?:mk\w*|rm|resize\w*|name|set|toggle|rescue|disk_\w+|type|select|move|cp|check)\Z"
)
ROLES_BY_TEXT: Final = frozenset(
    ("parallel", "scp", "rsync", "tee", "gcloud compute scp", "parted", *_LABELS, *_TELLING)
)
# Names of the module are found sooner than members of a class.
_TEXT, _COMMAND, _ENV, _SHELL, _NETWORK = Role.TEXT, Role.COMMAND, Role.ENV, Role.SHELL, Role.NETWORK


def operand_roles(program: Program, count: int, change: Role | None, *, drops: bool) -> list[Role]:
    """A role for each of `count` operands; options may change what the unnamed places mean."""
    first = () if drops else program.operands
    last = program.last
    rest = program.rest or _TEXT
    if change is None and not first and not last:
        return [rest] * count
    if change is not None:
        rest, last = change, ()
        first = tuple([role for role in first if role is not _COMMAND])
    elif last[:1] == (_COMMAND,):
        last = ()  # the command has been taken already, or there is none
    ending = min(len(last), count)
    roles = list(first[: count - ending])
    roles.extend([rest] * (count - ending - len(roles)))
    if ending:
        roles.extend(last[-ending:])
    return roles


def begins_command(program: Program, place: int, text: str, change: Role | None, *, drops: bool) -> bool:
    """True when the operand at this place is the first word of a command the program runs."""
    first = () if drops else program.operands
    if place < len(first) and (first[place] is not _COMMAND or change is None):
        return first[place] is _COMMAND
    if change is not None:
        return change is _COMMAND
    if program.last[:1] == (_COMMAND,):
        return not (program.rest is _ENV and "=" in text)
    return program.rest is _COMMAND


def tail(words: Sequence[Word], at: int, options: Mapping[str, Option]) -> tuple[Word, ...]:
    """The command that begins here, without the `--` that the program takes away (`npm exec rm -- -rf x`)."""
    found = tuple(words[at:])
    if found[0].text == "--" and len(found) > 1:
        return found[1:]
    if "--" in options:
        ended = next((place for place, word in enumerate(found) if word.text == "--"), len(found))
        return found[:ended] + found[ended + 1 :]
    return found


def roles_by_text(program: str, texts: Sequence[str], roles: list[Role]) -> list[Role]:
    """The roles of programs whose operands say themselves what they are."""
    if program == "parallel":
        return _parallel_roles(texts)
    if program == "tee":
        return [_TEXT if text in STREAMS else role for text, role in zip(texts, roles, strict=True)]
    if program in _LABELS:
        return [Role.READ] if len(texts) == 1 else roles
    if program == "parted":
        shows = texts[1:2] and texts[1] in _SHOWING_PARTS and not any(map(_CHANGING_PARTS.match, texts[1:]))
        return [Role.READ, *roles[1:]] if shows else roles
    if program in _TELLING:
        mark, change = _TELLING[program]
        return [change if mark.search(text) else role for text, role in zip(texts, roles, strict=True)]
    return [_NETWORK if _is_remote(text) else role for text, role in zip(texts, roles, strict=True)]


def _parallel_roles(texts: Sequence[str]) -> list[Role]:
    """What stands before the first `:::` is the command; when nothing does, the arguments are commands."""
    at = next((at for at, text in enumerate(texts) if text.startswith(":::")), len(texts))
    if at:
        return [_SHELL] * at + [_TEXT] * (len(texts) - at)
    return [_TEXT if text.startswith(":::") else _SHELL for text in texts]


def _is_remote(text: str) -> bool:
    """True for `host:path` and URLs: a colon before any slash."""
    host, colon, _ = text.partition(":")
    return bool(colon and host) and "/" not in host
