"""The host behind a URL or address, however it is dressed up."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from typing import Final
from urllib.parse import unquote

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
