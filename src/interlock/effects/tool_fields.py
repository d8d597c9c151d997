"""What the names and values of a tool's fields tell: verbs, paths, hosts, and text for a shell."""

from __future__ import annotations

import ipaddress
import os.path
import re
import shlex
import socket
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from interlock.effects.effect import EffectKind
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall

READ, WRITE, DELETE = EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE
UNKNOWN: Final = (READ, WRITE)  # the effects of a tool that nobody knows

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_READS: Final = """read get list ls search find fetch view open show cat load query grep glob describe stat
    info head tail tree count check inspect analyze preview upload send attach import lookup"""
_WRITES: Final = """write create edit update append insert put save set add patch apply replace modify make
    mkdir touch download export generate format fix overwrite change store record extract unzip"""
_BY_VERB: Final[dict[str, tuple[EffectKind, ...]]] = {
    **dict.fromkeys(_READS.split(), (READ,)),
    **dict.fromkeys(_WRITES.split(), (WRITE,)),
    **dict.fromkeys("delete remove unlink rm rmdir trash erase purge clear drop".split(), (DELETE,)),
    **dict.fromkeys("move rename mv".split(), (READ, DELETE, WRITE)),
    **dict.fromkeys("copy cp duplicate clone link symlink".split(), (READ, WRITE)),
}
# Fields that select what a tool does.
_ACTION_FIELDS: Final = ("command", "operation", "action", "mode", "method", "op")
_LONGEST_VERB: Final = 64
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


def split_words(name: str) -> tuple[str, ...]:
    """Split `createOrUpdate_file` into its words, lower case."""
    return tuple(word.lower() for word in _WORD.findall(name))


def effects_of_name(name: str) -> tuple[EffectKind, ...]:
    """Return the effects that the verbs in a name stand for."""
    return tuple(dict.fromkeys(kind for word in split_words(name) for kind in _BY_VERB.get(word, ())))


def effects_of_actions(fields: Mapping[str, object]) -> tuple[EffectKind, ...]:
    """Return the effects that a call's own fields name, as in `command: view`."""
    texts = [text[:_LONGEST_VERB] for name in _ACTION_FIELDS if isinstance(text := fields.get(name), str)]
    return tuple(dict.fromkeys(kind for text in texts for kind in effects_of_name(text)))


def effects_on_field(field: str, kinds: tuple[EffectKind, ...]) -> tuple[EffectKind, ...]:
    """Return the effects that apply to one field: a move reads its source and writes its target."""
    if WRITE in kinds and len(kinds) > 1:
        words = frozenset(split_words(field))
        if words & _SOURCES:
            return tuple(kind for kind in kinds if kind is not WRITE)
        if words & _TARGETS:
            return (WRITE,)
    return kinds or UNKNOWN


def names_path(field: str) -> bool:
    words = split_words(field)
    if words and words[-1] in _PATH_WORDS:
        return True
    return len(words) > 1 and words[-1] in {"name", "names"} and words[-2] in _NAMED


def may_name_path(field: str) -> bool:
    """Return whether a field may hold a path or something else, as `source` and `to` do."""
    return field.lower() in _SOURCES | _TARGETS


def names_prose(field: str) -> bool:
    return not _PROSE.isdisjoint(split_words(field)[-1:])


def names_url(field: str) -> bool:
    return not _URL_WORDS.isdisjoint(split_words(field)[-1:])


_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*):(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
# Browsers and most clients drop these before they parse a URL.
_DROPPED: Final = re.compile(r"[\t\r\n]")
_HEAD: Final = 256  # characters in which a scheme must end
_EDGE: Final = "".join(map(chr, range(0x21)))
_WEB: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
_NO_HOST: Final = frozenset({"data", "about", "javascript", "mailto", "blob", "urn", "tel"})
_PORT: Final = re.compile(r":\d*$")
_NUMBERS: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")


def url_hosts(url: str) -> tuple[str, ...]:
    """Return every host that a client may read in a URL; clients disagree about backslashes."""
    text = _DROPPED.sub("", url.strip(_EDGE))
    match = _URL.fullmatch(text)
    if match is not None and match["scheme"].lower() in _NO_HOST:
        return ()
    slashed = text.replace("\\", "/")
    return tuple(dict.fromkeys(host for spelling in (text, slashed) if (host := _find_host(spelling))))


def file_path(uri: str) -> str | None:
    """Return the path of a `file:` URI, None for any other text."""
    text = uri.strip(_EDGE)
    if _DROPPED.sub("", text[:_HEAD])[:5].lower() != "file:":
        return None
    text = _DROPPED.sub("", text)
    rest = re.split(r"[?#]", text[5:], maxsplit=1)[0].replace("\\", "/")
    if rest.startswith("//"):
        _, slash, after = rest[2:].partition("/")
        rest = slash + after
    return unquote(rest, errors="surrogateescape")


def host_name(host: str) -> str:
    """Normalize a host: lower case, ASCII, no final dot, addresses written out."""
    name = unicodedata.normalize("NFKC", unquote(host)).strip().strip("[]").casefold()
    name = name.replace("\u3002", ".").partition("%")[0]
    if not name.isascii():
        with suppress(UnicodeError):  # no client can resolve such a name either
            name = name.encode("idna").decode("ascii").lower()
    return _parse_address(name.rstrip(".")) or name.rstrip(".")


def _find_host(text: str) -> str | None:
    match = _URL.fullmatch(text)
    scheme = match["scheme"].lower() if match else ""
    if match and (match["rest"].startswith("//") or scheme in _WEB):
        rest = match["rest"].lstrip("/") if scheme in _WEB else match["rest"][2:]
    else:
        rest = text.removeprefix("//")  # `example.com/x`: clients add a scheme
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host = _PORT.sub("", authority.rpartition("@")[2])
    return host_name(host) or None


def _parse_address(name: str) -> str | None:
    """Return the usual form of an address: the system reads `0x7f.1` and `2130706433` as 127.0.0.1."""
    numbers = _NUMBERS.fullmatch(name) is not None
    if not numbers and ":" not in name:
        return None
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        pass
    if not numbers:
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(name))
    except OSError:
        return None


CARRIED_BY: Final = "carried_by"  # the event field that names the tool that carries a shell text

_OF_SERVERS: Final = "mcp__"
_OWN: Final = "mcp__interlock__"
# Lower case and without `_` and `-`, since servers spell them in several ways.
_COMMANDS: Final = frozenset({"command", "cmd", "commands", "commandline", "shellcommand", "bashcommand"})
_SPELLING: Final = str.maketrans("", "", "_-")
_WORDS: Final = ("args", "arguments", "argv")
_PROGRAMS: Final = ("script", "code")
_LANGUAGE: Final = ("language", "lang")
_FOLDERS: Final = ("cwd", "workdir", "working_directory", "workingDirectory", "working_dir")
_SHELLS: Final = frozenset("shell bash sh zsh ksh dash fish terminal exec console ssh tmux".split())
_INTERPRETERS: Final = {
    name: interpreter
    for names, interpreter in (
        ("python python3 py ipython jupyter notebook", "python3 -c"),
        ("node nodejs javascript js typescript ts deno bun", "node -e"),
        ("ruby rb", "ruby -e"),
        ("perl", "perl -e"),
        ("php", "php -r"),
        ("lua", "lua -e"),
        ("powershell pwsh", "pwsh -Command"),
        ("sql postgres postgresql psql mysql sqlite database", "psql -c"),
    )
    for name in names.split()
}
_OTHERWISE: Final = "python3 -c"


def carried_call(event: Event) -> Event | None:
    """Return the shell call that an MCP tool's call amounts to, None if it carries no text for a shell."""
    tool = event.tool
    if tool is None or not tool.name.startswith(_OF_SERVERS) or tool.name.startswith(_OWN):
        return None
    text = "\n".join(_shell_texts(tool))
    if not text.strip():
        return None
    folder = next((path for name in _FOLDERS for path in _strings(tool.input.get(name))), "")
    return msgspec.structs.replace(
        event,
        tool=ToolCall(name="Bash", input={"command": text}, use_id=tool.use_id),
        cwd=os.path.join(event.cwd, folder) if folder else event.cwd,
        extra={**event.extra, CARRIED_BY: tool.name},
    )


def commands_of(fields: JsonObject) -> str | None:
    """Return the commands among the fields of any tool, None if there are none."""
    return "\n".join(_commands(fields)) or None


def _shell_texts(tool: ToolCall) -> Iterator[str]:
    fields = tool.input
    yield from _commands(fields)
    for name in _PROGRAMS:
        interpreter = _find_interpreter(tool.name, fields)
        for text in _strings(fields.get(name)):
            yield f"{interpreter} {shlex.quote(text)}" if interpreter else text


def _commands(given: JsonObject) -> Iterator[str]:
    words = [text for name in _WORDS for text in _strings(given.get(name))]
    for field, value in given.items():
        name = field.lower().translate(_SPELLING)
        if name not in _COMMANDS:
            continue
        if isinstance(value, str):
            yield f"{value} {shlex.join(words)}" if words else value
        elif isinstance(value, (list, tuple)):
            yield "\n".join(_strings(value)) if name == "commands" else shlex.join([*_strings(value), *words])


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []


def _find_interpreter(name: str, fields: JsonObject) -> str:
    """Return what runs a program text, by the named language or the tool's name; empty for a shell."""
    language = [
        word for field in _LANGUAGE for text in _strings(fields.get(field)) for word in split_words(text)
    ]
    for words in (language, split_words(name)):
        named = next((_INTERPRETERS[word] for word in words if word in _INTERPRETERS), None)
        if named is not None or not _SHELLS.isdisjoint(words):
            return named or ""
    return _OTHERWISE
