"""What a tool does to the paths and addresses in its fields, told by its name."""

from __future__ import annotations

import ipaddress
import os.path
import re
import shlex
import socket
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from interlock.effects.effect import EffectKind
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall

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


_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*):(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
# Browsers and most clients drop these before they read a URL.
_DROPPED: Final = re.compile(r"[\t\r\n]")
_HEAD: Final = 256  # a scheme with more line breaks in it is none
_EDGE: Final = "".join(map(chr, range(0x21)))
_WEB: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
_NO_HOST: Final = frozenset({"data", "about", "javascript", "mailto", "blob", "urn", "tel"})
_PORT: Final = re.compile(r":\d*$")
_NUMBERS: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")


def url_hosts(url: str) -> tuple[str, ...]:
    """Every host a client may take a URL for: where readers differ over a backslash, both."""
    text = _DROPPED.sub("", url.strip(_EDGE))
    found = _URL.fullmatch(text)
    if found is not None and found["scheme"].lower() in _NO_HOST:
        return ()
    slashed = text.replace("\\", "/")
    return tuple(dict.fromkeys(host for one in (text, slashed) if (host := _host_of(one))))


def file_path(uri: str) -> str | None:
    """The path of a `file:` URI; None for any other text."""
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
    """One form of a host: lower case, ASCII, no final dot, addresses written out."""
    name = unicodedata.normalize("NFKC", unquote(host)).strip().strip("[]").casefold()
    name = name.replace("\u3002", ".").partition("%")[0]
    if not name.isascii():
        name = _as_ascii(name)
    return _address(name.rstrip(".")) or name.rstrip(".")


def _host_of(text: str) -> str | None:
    found = _URL.fullmatch(text)
    scheme = found["scheme"].lower() if found else ""
    if found and (found["rest"].startswith("//") or scheme in _WEB):
        rest = found["rest"].lstrip("/") if scheme in _WEB else found["rest"][2:]
    else:
        rest = text.removeprefix("//")  # `example.com/x`: a client puts the scheme in front
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host = _PORT.sub("", authority.rpartition("@")[2])
    return host_name(host) or None


def _as_ascii(name: str) -> str:
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError:  # no client can ask for it either
        return name


def _address(name: str) -> str | None:
    """An address in its usual form: `0x7f.1` and `2130706433` are 127.0.0.1 to the system."""
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


CARRIED_BY: Final = "carried_by"  # the tool that carries the text, among the fields of the event

_OF_SERVERS: Final = "mcp__"
_OWN: Final = "mcp__interlock__"
_SHELL: Final = "Bash"
# In small letters and without `_` and `-`, since servers spell them in several ways.
_COMMANDS: Final = frozenset({"command", "cmd", "commands", "commandline", "shellcommand", "bashcommand"})
_SPELLING: Final = str.maketrans("", "", "_-")
_WORDS: Final = ("args", "arguments", "argv")
_PROGRAMS: Final = ("script", "code")
_LANGUAGE: Final = ("language", "lang")
_FOLDERS: Final = ("cwd", "workdir", "working_directory", "workingDirectory", "working_dir")
_SHELLS: Final = frozenset("shell bash sh zsh ksh dash fish terminal exec console ssh tmux".split())
_INTERPRETERS: Final = {
    **dict.fromkeys(("python", "python3", "py", "ipython", "jupyter", "notebook"), "python3 -c"),
    **dict.fromkeys(("node", "nodejs", "javascript", "js", "typescript", "ts", "deno", "bun"), "node -e"),
    **dict.fromkeys(("ruby", "rb"), "ruby -e"),
    **dict.fromkeys(("perl",), "perl -e"),
    **dict.fromkeys(("php",), "php -r"),
    **dict.fromkeys(("lua",), "lua -e"),
    **dict.fromkeys(("powershell", "pwsh"), "pwsh -Command"),
    **dict.fromkeys(("sql", "postgres", "postgresql", "psql", "mysql", "sqlite", "database"), "psql -c"),
}
_OTHERWISE: Final = "python3 -c"


def carried_call(event: Event) -> Event | None:
    """The event of a shell that would get what this call carries; None where it carries nothing."""
    tool = event.tool
    if tool is None or not tool.name.startswith(_OF_SERVERS) or tool.name.startswith(_OWN):
        return None
    text = "\n".join(_texts(tool))
    if not text.strip():
        return None
    folder = next((one for name in _FOLDERS for one in _strings(tool.input.get(name))), "")
    return msgspec.structs.replace(
        event,
        tool=ToolCall(name=_SHELL, input={"command": text}, use_id=tool.use_id),
        cwd=os.path.join(event.cwd, folder) if folder else event.cwd,
        extra={**event.extra, CARRIED_BY: tool.name},
    )


def commands_of(given: JsonObject) -> str | None:
    """The commands among a tool's fields, whichever tool it is; None where there are none."""
    return "\n".join(_commands(given)) or None


def _texts(tool: ToolCall) -> Iterator[str]:
    """Each text of the call as a shell would get it."""
    given = tool.input
    yield from _commands(given)
    for name in _PROGRAMS:
        interpreter = _interpreter(tool.name, given)
        for text in _strings(given.get(name)):
            yield f"{interpreter} {shlex.quote(text)}" if interpreter else text


def _commands(given: JsonObject) -> Iterator[str]:
    words = [one for name in _WORDS for one in _strings(given.get(name))]
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
    return [one for one in value if isinstance(one, str)] if isinstance(value, (list, tuple)) else []


def _interpreter(name: str, given: JsonObject) -> str:
    """What runs a program text: by the language that is named, or the tool; empty for a shell."""
    said = [word for field in _LANGUAGE for text in _strings(given.get(field)) for word in words_of(text)]
    for words in (said, words_of(name)):
        named = next((_INTERPRETERS[word] for word in words if word in _INTERPRETERS), None)
        if named is not None or not _SHELLS.isdisjoint(words):
            return named or ""
    return _OTHERWISE
