"""Whether a command that ends processes may mean Interlock's daemon: by name, command line or user."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Final

import re2

from interlock.effects.command import Command
from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.lookup import base_name
from interlock.effects.programs.program import Arguments
from interlock.patterns.glob import compile_quietly

_EXECUTABLE: Final = base_name(sys.executable)
# What the system calls the daemon's process, however its Python was started, and how it was started.
_NAMES: Final = tuple(dict.fromkeys((_EXECUTABLE, "python", "python3", f"python3.{sys.version_info.minor}")))
_LINES: Final = tuple(
    f"{start} -I -m interlock.daemon run"
    for start in dict.fromkeys((sys.executable, "/usr/bin/python3", "python3"))
)
_SIGNAL: Final = re.compile(r"-(?:\d+|(?:SIG)?[A-Z]{3,}\d?)")
_BY_USER: Final = frozenset({"-u", "-U"})
_BY_OTHER: Final = frozenset({"-P", "-g", "-s", "-t", "-F", "--ns", "--cgroup", "-r"})
_OF_PS: Final = frozenset({"-p", "-q", "-C", "-t", "-s", "--ppid"})
_IN_AWK: Final = re.compile(r"/((?:\\.|[^/\\\n])+)/")
_EVERYTHING: Final = "-1"


def ends_ours(command: Command, others: Sequence[Command]) -> bool:
    """Whether this command may end the daemon, or ends what another of the same text may find."""
    name = base_name(command.words[0].text)
    if name in {"pkill", "skill"}:
        return _picks_ours(command)
    if name == "killall":
        return _names_ours(command)
    if name != "kill":
        return False
    words = command.words[1:]
    if any(word.text == _EVERYTHING for word in words[1:]):
        return True
    if not command.more and all(word.fixed for word in words):
        return False
    given = command.more or any("$(" in word.text or "`" in word.text for word in words)
    return _finds_ours(others, given=given)


def _finds_ours(others: Sequence[Command], *, given: bool) -> bool:
    """Whether what looks for processes in this text may find the daemon."""
    finders = [(base_name(one.words[0].text), one) for one in others if one.words]
    if any(name == "pgrep" and _picks_ours(one) for name, one in finders):
        return True
    if any(name == "pidof" and _names_ours(one) for name, one in finders):
        return True
    lists = [_sort(one) for name, one in finders if name == "ps"]
    if not given or not lists or any(flag.name in _OF_PS for one in lists for flag in one.flags):
        return False
    filters = [
        _matches_daemon(name, one) for name, one in finders if name in {"grep", "egrep", "awk", "gawk"}
    ]
    return all(found for found in filters if found is not None)


def _matches_daemon(name: str, command: Command) -> bool | None:
    """Whether a filter lets the daemon's line through; None where it lets all through."""
    arguments = _sort(command)
    if "awk" in name:
        code = arguments.operands[0].word.text if arguments.operands else ""
        found = _IN_AWK.search(code)
        return _matches(found[1], _LINES) if found else None
    flags = {flag.name for flag in arguments.flags}
    given = [flag.value.text for flag in arguments.flags if flag.name == "-e" and flag.value is not None]
    given += [operand.word.text for operand in arguments.operands[:1] if not given]
    met = any(_matches(one, _LINES, caseless="-i" in flags) for one in given)
    return None if "-v" in flags and not met else met != ("-v" in flags)


def _picks_ours(command: Command) -> bool:
    """`pkill` and `pgrep`: an expression over names, or with `-f` over command lines, and other marks."""
    arguments = _sort(command)
    flags = {flag.name: flag.value for flag in arguments.flags}
    users = [flag.value for flag in arguments.flags if flag.name in _BY_USER and flag.value is not None]
    if users and not any(map(_is_our_user, users)):
        return False
    if not arguments.operands:
        return bool(users) and not flags.keys() & _BY_OTHER
    word = arguments.operands[0].word
    if not word.fixed or flags.keys() & _BY_OTHER:
        return False
    texts = _LINES if "-f" in flags else _NAMES
    met = _matches(word.text, texts, whole="-x" in flags, caseless="-i" in flags)
    return met != ("-v" in flags)


def _names_ours(command: Command) -> bool:
    """`killall` and `pidof`: names as they are, or with `-r` expressions over them."""
    arguments = _sort(command)
    flags = {flag.name: flag.value for flag in arguments.flags}
    user = flags.get("-u")
    if user is not None and not _is_our_user(user):
        return False
    if not arguments.operands:
        return user is not None
    texts = [base_name(operand.word.text) for operand in arguments.operands if operand.word.fixed]
    caseless = "-I" in flags
    if "-r" in flags:
        return any(_matches(text, _NAMES, caseless=caseless) for text in texts)
    return any(_matches(re.escape(text), _NAMES, whole=True, caseless=caseless) for text in texts)


def _sort(command: Command) -> Arguments:
    """The words without the signal, which looks like options."""
    first, *rest = command.words
    return sort_arguments((first, *(word for word in rest if not _SIGNAL.fullmatch(word.text))))


def _is_our_user(word: Word) -> bool:
    """Whether processes of this user are ours; one that only the run decides may be."""
    names = {str(os.getuid()), os.environ.get("USER", ""), os.environ.get("LOGNAME", "")}
    return not word.fixed or not names.isdisjoint(word.text.split(","))


def _matches(expression: str, texts: Sequence[str], *, whole: bool = False, caseless: bool = False) -> bool:
    """Whether an expression is met by one of these; one that is none stands for itself."""
    try:
        compiled = compile_quietly(expression, caseless=caseless)
    except re2.error:
        return any(expression in text for text in texts)
    find = compiled.fullmatch if whole else compiled.search
    return any(find(text) is not None for text in texts)
