"""What a tool does to the paths and addresses in its fields, told by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from interlock.effects.effect import EffectKind

READ, WRITE, DELETE = EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_BY_VERB: Final[dict[str, tuple[EffectKind, ...]]] = {
    **dict.fromkeys(
        "read get list ls search find fetch view open show cat load query grep glob describe stat info "
        "head tail tree count check inspect analyze preview upload send attach import lookup".split(),
        (READ,),
    ),
    **dict.fromkeys(
        "write create edit update append insert put save set add patch apply replace modify make mkdir touch "
        "download export generate format fix overwrite change store record extract unzip".split(),
        (WRITE,),
    ),
    **dict.fromkeys("delete remove unlink rm rmdir trash erase purge clear drop".split(), (DELETE,)),
    **dict.fromkeys("move rename mv".split(), (READ, DELETE, WRITE)),
    **dict.fromkeys("copy cp duplicate clone link symlink".split(), (READ, WRITE)),
}
# Nobody knows what the tool does: it may do either.
UNKNOWN: Final = (READ, WRITE)

_MAX_DEED: Final = 64  # a longer text is not a verb

_SOURCES: Final = frozenset({"source", "src", "from", "old", "origin", "input"})
_TARGETS: Final = frozenset({"destination", "dest", "dst", "target", "to", "new", "output", "out"})
_PATH_WORDS: Final = frozenset(
    "path paths file files filename filenames filepath filepaths dir dirs directory directories folder "
    "folders notebook cwd root workdir worktree".split()
)
_NAMED: Final = frozenset({"file", "path", "dir", "directory", "folder"})  # `file_name`
_URL_WORDS: Final = frozenset(
    "url urls uri uris href link links endpoint website ws host hostname domain".split()
)
_PROSE: Final = frozenset(
    "content contents text body message description prompt title str string regex".split()
)
# Fields in which one tool of many deeds says which it does.
_DEEDS: Final = ("command", "operation", "action", "mode", "method", "op")


def words_of(name: str) -> tuple[str, ...]:
    """`createOrUpdate_file` in its words, lower case."""
    return tuple(word.lower() for word in _WORD.findall(name))


def kinds_of(name: str) -> tuple[EffectKind, ...]:
    """The effects that the verbs in a name are about; nothing where there is no verb."""
    return tuple(dict.fromkeys(kind for word in words_of(name) for kind in _BY_VERB.get(word, ())))


def deeds_in(fields: Mapping[str, object]) -> tuple[EffectKind, ...]:
    """The effects that a call's own fields name, as in `command: view`."""
    texts = [fields.get(field) for field in _DEEDS]
    return tuple(
        dict.fromkeys(k for text in texts if isinstance(text, str) for k in kinds_of(text[:_MAX_DEED]))
    )


def kinds_for(field: str, kinds: tuple[EffectKind, ...]) -> tuple[EffectKind, ...]:
    """Those of a tool's effects that fall on one field: a move reads its source and writes its target."""
    if WRITE in kinds and len(kinds) > 1:
        words = frozenset(words_of(field))
        if words & _SOURCES:
            return tuple(kind for kind in kinds if kind is not WRITE)
        if words & _TARGETS:
            return (WRITE,)
    return kinds or UNKNOWN


def names_path(field: str) -> bool:
    """Whether a field's name says that it holds a path."""
    words = words_of(field)
    if not words:
        return False
    if words[-1] in _PATH_WORDS:
        return True
    return words[-1] in {"name", "names"} and len(words) > 1 and words[-2] in _NAMED


def may_name_path(field: str) -> bool:
    """Whether a field's name fits a path as well as other things, as `source` and `to` do."""
    return field.lower() in _SOURCES | _TARGETS


def holds_prose(field: str) -> bool:
    """Whether a field's name says that it holds a text, whatever that looks like."""
    words = words_of(field)
    return bool(words) and words[-1] in _PROSE


def names_url(field: str) -> bool:
    """Whether a field's name says that it holds an address."""
    words = words_of(field)
    return bool(words) and words[-1] in _URL_WORDS
