"""Lists of names that variables stand for: what a loop reads, what a substitution prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.shell.feed import SEVERAL, Feed, FeedKind

ANY: Final = "$(…)"  # in place of what this text itself has made a riddle
_NEW: Final = re.compile(
    r"\$\(\s*(?:mktemp|tempfile|uuidgen)\b[^;&|<>`()\n]*\)"
)  # names no file that is there
_NEW_NAME: Final = "$(mktemp)"
_MARKS: Final = frozenset({ANY, _NEW_NAME})
_VARIABLE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_PIECE: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|\$[@*#?!$-]")
_LONGEST_NAME: Final = 400  # characters of a name that is spelled out


def is_new_file(written: str) -> bool:
    """Whether a substitution makes a file of its own."""
    return _NEW.fullmatch(written) is not None


def spelled_out(path: str, variables: Mapping[str, str | None], origins: Mapping[str, str]) -> str:
    """A path with what is known of its variables, and a mark for each of its substitutions."""
    if len(path) > _LONGEST_NAME:
        return ANY
    marked = _marked(path)
    if marked in _MARKS:
        return marked
    for found in _VARIABLE.finditer(marked):
        name = found[1] or found[2]
        if name in origins or name in variables:
            return _with_values(marked, variables, origins)
    return marked  # of what the environment brings nothing is known


def _with_values(marked: str, variables: Mapping[str, str | None], origins: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name in origins:
            return origins[name]
        return ANY if variables.get(name, "") is None else found[0]

    whole = _VARIABLE.sub(value, marked)
    return whole if len(whole) <= _LONGEST_NAME else ANY


@lru_cache(maxsize=512)
def _marked(path: str) -> str:
    """A path without the text of its substitutions, in which there may be slashes."""
    while (start := path.find("`")) >= 0:
        end = path.find("`", start + 1)
        path = path[:start] + ANY + (path[end + 1 :] if end >= 0 else "")
    pieces: list[str] = []
    at = 0
    while (start := path.find("$(", at)) >= 0:
        end = _end(path, start + 1)
        written = path[start:end]
        pieces += (path[at:start], _NEW_NAME if _NEW.fullmatch(written) else ANY)
        at = end
    return "".join((*pieces, path[at:]))


def _end(path: str, start: int) -> int:
    """The place after the bracket that closes the one here."""
    depth = 0
    for at in range(start, len(path)):
        depth += (path[at] == "(") - (path[at] == ")")
        if not depth:
            return at + 1
    return len(path)


def may_be_named(written: str, name: str) -> bool:
    """Whether a file that was made may have this name: `f.sh$v` may be `f.sh`, and `$(…)` any."""
    if written == name or "$" not in written:
        return written == name
    first, *_, last = _PIECE.split(written) if _PIECE.search(written) else ("", "")
    if not (first or last):  # what the environment brings is not of this text
        return ANY in written or any(name in piece for piece in _PIECE.findall(written) if piece[1] == "{")
    return name.startswith(first) and name.endswith(last)


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
    """What the input of a loop prints, as a substitution; None where that is not a list of names."""
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
