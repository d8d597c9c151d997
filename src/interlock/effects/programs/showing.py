"""Whether a command only shows something: its help, its version, a list, or what it would do."""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.argument import Arguments, Flag
from interlock.effects.programs.program import HANDED_ON, Role

_ASKING: Final = frozenset({"--help", "--version", "-help", "-version"})
_YES: Final = frozenset({"true", "1", "t", "yes", "client", "server"})
_NO: Final = frozenset({"false", "0", "f", "no", "none", "off"})
# They have no help of their own: to some shells that word is a file or a command.
_NO_HELP: Final = frozenset({"eval", "source", ".", "exec", "command", "builtin", "trap"})
_HANDED: Final = HANDED_ON | {Role.COMMAND}
_OPEN: Final = frozenset("$`")
_LONE: Final = 2  # dashes of a long name


class Showing(Enum):
    """What a command does instead of its work."""

    TELLS = "tells"  # prints its help or version, and looks at nothing
    LOOKS = "looks"  # lists, or says what it would do


def showing(arguments: Arguments, words: tuple[Word, ...]) -> Showing | None:
    """What a command only shows, or None if it does its work; one that runs others only without them."""
    program, flags = arguments.program, arguments.flags
    for flag in flags:  # few commands have an option that might show something
        if flag.option.shows if flag.option is not None else flag.name in _ASKING:
            break
    else:
        if words[-1].text != "-h":
            return None
    if arguments.commands or (program is None and not words[0].fixed):
        return None
    if program is not None and program.passes_on and (arguments.operands or arguments.name in _NO_HELP):
        return None
    found = next((what for flag in flags if (what := _shown_by(flag, arguments, words))), None)
    if found is None and _asks_git(arguments, words):
        found = Showing.TELLS
    # What prints a partition table with one option may write it with another.
    changes = program is not None and program.device
    if found is None or any(_does_more(flag, changes=changes) for flag in flags):
        return None
    if any(operand.role in _HANDED for operand in arguments.operands) or _may_be_undone(words):
        return None
    return found


def _shown_by(flag: Flag, arguments: Arguments, words: tuple[Word, ...]) -> Showing | None:
    option = flag.option
    if option is None:
        # Whoever does not know the option before it does not know whether this is its value.
        alone = flag.name in _ASKING and flag.value is None and not _follows_unknown(flag, arguments, words)
        return Showing.TELLS if alone else None
    if not option.shows or not _is_yes(flag, words):
        return None
    written = words[flag.index].text.partition("=")[0]
    known = {name.lstrip("-") for name in option.names}
    if written[:_LONE] == "--" and written[_LONE:] not in known and arguments.name[:4] != "git ":
        return None  # others may know a second option that begins so
    if any(_takes_back(word.text, option.names) for word in words):
        return None
    return Showing.LOOKS if _ASKING.isdisjoint(option.names) else Showing.TELLS


def _is_yes(flag: Flag, words: tuple[Word, ...]) -> bool:
    """`--dry-run=none` is not a dry run, and some take `false` from the next word."""
    if flag.option is not None and flag.option.value is not None and not flag.option.attached:
        return True
    if flag.value is not None:
        return flag.value.fixed and flag.value.text.lower() in _YES
    following = words[flag.index + 1 : flag.index + 2]
    return not (following and following[0].text.lower() in _NO)


def _takes_back(text: str, names: tuple[str, ...]) -> bool:
    """`--no-dry-run`, also by its beginning."""
    return text[:5] == "--no-" and any(name.startswith(f"--{text[5:]}") for name in names)


def _follows_unknown(flag: Flag, arguments: Arguments, words: tuple[Word, ...]) -> bool:
    if words[flag.index - 1].text[:1] != "-":
        return False
    return any(one.option is None and one.index == flag.index - 1 for one in arguments.flags)


def _asks_git(arguments: Arguments, words: tuple[Word, ...]) -> bool:
    """`git restore -h`: alone, that is the help of every subcommand, whatever else the letter means there."""
    name = arguments.name
    if name[:4] != "git " or words[-1] != Word("-h"):
        return False
    return [word.text for word in words[1:-1]] == name.split()[1:]


def _does_more(flag: Flag, *, changes: bool) -> bool:
    """Whether an option hands something on, or has a power of its own: `git -c core.sshCommand=… push -n`."""
    option = flag.option
    if option is None:
        return False
    if option.power and (changes or flag.value is not None):
        return True
    return flag.value is not None and option.value in _HANDED


def _may_be_undone(words: tuple[Word, ...]) -> bool:
    """Whether the run may bring an option that says otherwise."""
    for before, word in pairwise(words):
        if before.text == "--":
            break
        if not word.fixed and word.text[:1] in _OPEN:
            return True
    return False
