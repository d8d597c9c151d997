"""One path in the forms that programs, disks and people treat as the same."""

from __future__ import annotations

import os.path
import re
import unicodedata
from typing import Final

# What a disk or a display leaves out of a name: format characters, joiners, variation selectors.
_EXTRA_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_SELECTORS: Final = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000))
# Most paths are their own folded form; this says so in one look.
# Possessive throughout: no text makes it try a second way.
_SURELY_FOLDED: Final = re.compile(r"(?:/?+\.{0,2}+[a-z0-9_\-+@=,%]++)*(?:/?+\.{0,2}+)?")
_HOME: Final = re.compile(r"\$(?:HOME\b|\{HOME\})")
_WORKING: Final = re.compile(r"\$(?:PWD\b|\{PWD\})")
_STREAM: Final = re.compile(r":[:$].*", re.DOTALL)
_SHORT_NAME: Final = re.compile(r"([^~./]{1,6})~\d{1,5}(\.[^.]{1,3})?")
# Short names keep six letters; the longer protected names they may stand for.
_LONG_NAMES: Final = {"interl": ".interlock", "gitmod": ".gitmodules", "gitcon": ".gitconfig"}
_MAX_ROUNDS: Final = 8


def tidy(path: str) -> str:
    """Drop `.`, `a/..`, doubled and trailing slashes, by the text alone."""
    plain = os.path.normpath(path)
    return plain[1:] if plain[:2] == "//" else plain


def squeezed(path: str) -> str:
    """The same path with `..` left in its place, for those who follow links before they go up."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def inside(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it, component by component; both by their text."""
    return _is_inside(tidy(path), tidy(folder))


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def relative(path: str, folder: str) -> str | None:
    """A tidy path as seen from a tidy folder it lies in, `.` for the folder itself; None outside of it."""
    if path == folder:
        return "."
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else None


def from_outside(path: str, folder: str) -> str:
    """A tidy path outside a folder as seen from it, with as many `..` as it takes."""
    ours, theirs = path.split("/"), folder.rstrip("/").split("/")
    common = 0
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            break
        common += 1
    return "/".join([".."] * (len(theirs) - common) + [part for part in ours[common:] if part])


def expand_home(path: str, home: str) -> str:
    """`~` is the given home, `~user` the home of that user where there is one."""
    if path == "~" or path.startswith("~/"):
        return home + path[1:]
    return os.path.expanduser(path) if path.startswith("~") else path


def expand_variables(path: str, home: str, cwd: str) -> str:
    """`$HOME` and `$PWD` as a shell would put them in."""
    return _WORKING.sub(lambda _: cwd, _HOME.sub(lambda _: home, path))


def folded(path: str) -> str:
    """The one form of all names that some disk takes for the same name.

    Letter case, composed and compatibility characters, invisible ones, final dots and spaces, streams, short
    names and backslashes do not count. For denies only: on most disks such names are different files.
    """
    text = path.lower() if path.isascii() else path
    if _SURELY_FOLDED.fullmatch(text):
        return text
    for _ in range(_MAX_ROUNDS):
        again = _fold_once(text)
        if again == text:
            break
        text = again
    return text


def _fold_once(path: str) -> str:
    text = folded_letters(path).replace("\\", "/")
    return tidy("/".join(map(_fold_name, text.split("/")))) if text else text


def folded_letters(text: str) -> str:
    """Without letter case, compatibility and invisible characters; also right for a glob."""
    if text.isascii():
        return text.lower()
    seen = unicodedata.normalize("NFKC", visible(text)).casefold()
    return unicodedata.normalize("NFKC", visible(seen))


def composed(path: str) -> str:
    """Composed characters and no invisible ones, letter case kept."""
    return path if path.isascii() else unicodedata.normalize("NFC", visible(path))


def visible(text: str) -> str:
    """A text without the characters nobody sees."""
    return text if text.isascii() else "".join(one for one in text if not _is_invisible(one))


def _is_invisible(one: str) -> bool:
    if one.isascii():
        return False
    return (
        one in _EXTRA_INVISIBLE
        or unicodedata.category(one) == "Cf"
        or any(ord(one) in selectors for selectors in _SELECTORS)
    )


def _fold_name(name: str) -> str:
    if name in {"", ".", ".."}:
        return name
    bare = _STREAM.sub("", name, count=1) or name
    bare = bare.strip().rstrip(". ") or name
    short = _SHORT_NAME.fullmatch(bare)
    if short is None:
        return bare
    return _LONG_NAMES.get(short[1]) or f".{short[1]}{short[2] or ''}"
