"""Lists of names that variables stand for: what a loop reads, what a substitution prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from interlock.effects.shell.feed import SEVERAL, Feed, FeedKind
from interlock.effects.shell.file_names import ANY, is_new_file
from interlock.effects.word import Word

# Leave out some of the lines they are given, or put them in another order, and change none.
FILTERS: Final = frozenset("cat egrep fgrep grep head rg shuf sort tac tail tee uniq".split())
FILLING: Final = frozenset({"read", "mapfile", "readarray"})
_READ: Final = re.compile(r"\bread\b((?:[ \t]+[^\s;&|<>()]+)*)")
_BODY: Final = re.compile(r"\bdo\b")
_WHOLE: Final = re.compile(r"(?:<\(|\$\()(.*)\)|`(.*)`", re.DOTALL)
_ELSEWHERE: Final = re.compile(r"<&|\s-u")  # reads from another descriptor
_STANDS_FOR: Final = "{}"  # what is found
_LONGEST: Final = 200  # characters of a command that is named
_MOST_LINES: Final = 8
_NUMBERS: Final = ("seq ", "jot ", "date ", "nproc")  # print no names of files


def names_read(loop: str) -> tuple[str, ...]:
    """The variables that the condition of a loop reads."""
    if "read" not in loop:
        return ()
    found = _BODY.search(loop)
    header = loop[: found.start()] if found else loop
    reads = [[word for word in one[1].split() if word.isidentifier()] for one in _READ.finditer(header)]
    return tuple(name for names in reads for name in names or ["REPLY"])


def list_read(loop: str, feed: Feed) -> str | None:
    """What the input of a loop prints, as a substitution; None where that is no list of names."""
    if feed.kind is FeedKind.NONE:
        found = _BODY.search(loop)
        return ANY if found and _ELSEWHERE.search(loop, 0, found.start()) else None
    return listed_by(feed)


def listed_by(feed: Feed) -> str | None:
    """What prints an input, as a substitution; None where it is written out or no list of names."""
    if feed.kind is FeedKind.FILE:
        return f"$(cat {feed.text})"
    if feed.kind is not FeedKind.OPEN:
        return None
    return ANY if feed.text == SEVERAL.text else list_printed(feed.text)


def list_printed(written: str) -> str | None:
    """A substitution or the command in it, as a substitution of the command that first prints the names."""
    whole = _WHOLE.fullmatch(written.strip())
    command = ((whole[1] or whole[2] or "") if whole else written).strip()
    first, *rest = command.split("|")
    if all(part.split(None, 1)[0] in FILTERS for part in rest if part.strip()):
        command = first.strip()
    if command.startswith(_NUMBERS):
        return None
    return f"$({command})" if 0 < len(command) <= _LONGEST else ANY


def is_list(text: str) -> bool:
    """Whether a value is all that a command prints, and no name of a new file."""
    return text[:2] == "$(" and text[-1:] == ")" and not is_new_file(text)


def list_in(word: Word, printed: Mapping[str, str]) -> str | None:
    """What a loop over an open word goes over, where that is what a command prints."""
    if word.fixed or not word.splits:
        return None
    if word.text == _STANDS_FOR:
        return ANY
    if word.text[:1] == "$" and word.text[1:] in printed:
        return printed[word.text[1:]]
    return list_printed(word.text) if _WHOLE.fullmatch(word.text) else None


def lines_of(feed: Feed) -> tuple[str, ...]:
    """The few lines of an input that is written out."""
    if feed.kind is not FeedKind.TEXT:
        return ()
    lines = feed.text.splitlines()
    return tuple(line.strip() for line in lines if line.strip()) if len(lines) <= _MOST_LINES else ()


def passed_on(name: str, given: Feed, printed: Feed) -> Feed:
    """What a program of this name prints, with what printed it before where it only leaves lines out."""
    if name not in FILTERS or printed.kind is not FeedKind.OPEN:
        return printed
    return Feed(FeedKind.OPEN, given.text, printed.decoded, printed.network)


def lists_given(words: list[Word], *, more: bool) -> dict[str, str]:
    """The parameters of a text that stand for what another program finds: `find … -exec sh -c T _ {}`."""
    if more:
        return dict.fromkeys(("@", "*", *map(str, range(10))), ANY)
    found = {str(at): word.text for at, word in enumerate(words) if not word.fixed}
    return {name: text if is_list(text) else ANY for name, text in found.items() if _STANDS_FOR in text}


def array_filled(words: tuple[Word, ...]) -> str | None:
    """The array that a builtin fills with the names it is given."""
    texts = [word.text for word in words[1:]]
    if words[0].text == "read" and not any(text[:1] == "-" and "a" in text for text in texts):
        return None
    names = [text for text in texts if text.isidentifier()]
    return names[-1] if names else "MAPFILE"
