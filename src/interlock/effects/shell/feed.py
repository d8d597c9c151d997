"""The standard input of a program, as far as the text shows it."""

from __future__ import annotations

import base64
import binascii
import re
from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.command import GapKind
from interlock.effects.effect import Word, is_fixed

PASSING_ON: Final = frozenset({"cat", "tac", "tee"})  # print their input
COPYING: Final = PASSING_ON | {"echo", "printf"}
STANDARD_INPUT: Final = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
DESCRIPTOR: Final = re.compile(r"/dev/(?:fd/.*|stdin)|/proc/.*/fd/.*")
_ESCAPE: Final = re.compile(r"[%\\]")


class FeedKind(StrEnum):
    """Where the input comes from."""

    NONE = "none"  # the input of the whole text
    TEXT = "text"  # written in the text itself
    FILE = "file"  # a file, run like any script
    OPEN = "open"  # a variable, the network, a decoder, another program


# Module names are looked up faster than class members.
_NONE, _TEXT, _OPEN = FeedKind.NONE, FeedKind.TEXT, FeedKind.OPEN


class Feed(msgspec.Struct, frozen=True, gc=False):
    """One program's standard input."""

    kind: FeedKind
    text: str = ""  # the input itself, or where it comes from
    decoded: bool = False  # a decoder made it
    network: bool = False  # it comes from another machine

    @property
    def source(self) -> GapKind:
        """The kind of gap if a program runs this input without our knowing it."""
        if self.decoded:
            return GapKind.DECODED
        return GapKind.NETWORK if self.network else GapKind.OPEN


NO_FEED: Final = Feed(_NONE)
SEVERAL: Final = Feed(_OPEN, "several commands")


def join_feeds(decoded: bool, network: bool) -> Feed:
    """Return what several commands print if some of it is decoded or from the network."""
    return Feed(_OPEN, SEVERAL.text, decoded, network)


def means_the_same(feed: Feed, other: Feed, name: str) -> bool:
    """Return whether a program has the same result with both inputs."""
    if feed is NO_FEED or other is NO_FEED:
        return False
    if feed.kind is _TEXT or other.kind is _TEXT or name in PASSING_ON:
        return feed == other
    return (
        feed.decoded is other.decoded and feed.network is other.network
    )  # nothing else of its input matters


def printed_by(name: str, words: tuple[Word, ...], feed: Feed, written: str) -> Feed:
    """Return what a program prints, given its words and input."""
    if name not in COPYING and feed.kind is not _TEXT:
        return Feed(_OPEN, written)
    rest = words[1:]
    settled = all(map(is_fixed, rest))
    if name in {"echo", "printf"} and settled:
        text = _echo(rest) if name == "echo" else _format(rest)
        if text is not None:
            return Feed(_TEXT, text)
    if name in PASSING_ON and not rest and feed.kind is not _NONE:
        return feed
    if name == "cat" and settled and len(rest) == 1 and not rest[0].text.startswith("-"):
        return Feed(FeedKind.FILE, rest[0].text)
    if feed.kind is _TEXT and settled:
        decoded = _decode(name, [word.text for word in rest], feed.text)
        if decoded is not None:
            return Feed(_TEXT, decoded)
    return Feed(_OPEN, written)


def _echo(words: tuple[Word, ...]) -> str | None:
    texts = [word.text for word in words]
    if texts and re.fullmatch(r"-[neE]+", texts[0]):
        if "e" in texts[0]:
            return None
        texts = texts[1:]
    joined = " ".join(texts)
    # Shells disagree on whether `echo` reads escapes.
    return None if "\\" in joined else joined + "\n"


def _format(words: tuple[Word, ...]) -> str | None:
    texts = [word.text for word in words]
    if not texts or texts[0].startswith("-"):
        return None
    pattern = texts[0].replace("\\n", "\n")
    if pattern in {"%s", "%s\n"} and len(texts) > 1:
        return "".join(pattern.replace("%s", text) for text in texts[1:])
    return None if _ESCAPE.search(pattern) or len(texts) > 1 else pattern


def _decode(name: str, arguments: list[str], text: str) -> str | None:
    """Return what a decoder makes of literal text, None if it is no decoder."""
    try:
        if name == "base64" and arguments in (["-d"], ["--decode"], ["-D"], ["-di"]):
            return base64.b64decode("".join(text.split()), validate=True).decode()
        if name == "xxd" and arguments in (["-r", "-p"], ["-p", "-r"], ["-rp"], ["-pr"], ["-r", "-ps"]):
            return bytes.fromhex("".join(text.split())).decode()
    except (ValueError, binascii.Error):
        return None
    if name == "rev" and not arguments:
        return "\n".join(line[::-1] for line in text.split("\n"))
    return None
