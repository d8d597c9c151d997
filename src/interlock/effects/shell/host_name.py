"""The host in whatever names one: a URL, `user@host:path`, `host:port`."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from interlock.effects.tools.network_host import host_name

_FILE: Final = re.compile(r"file:(?://[^/]*)?(?P<path>.*)", re.DOTALL | re.IGNORECASE)
_REMOTE: Final = re.compile(r"(?:[^/@:\s]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/@:\s]+):.*", re.DOTALL)


def host_of(text: str) -> str | None:
    """The host in the one form patterns are compared by; None for what looks like a local path."""
    host = _written_host(text)
    return host_name(host) or None if host else None


def _written_host(text: str) -> str | None:
    if "://" in text:
        rest = text.partition("://")[2]
    elif text.startswith(("/", "./", "../", "~")) or text in {".", ".."}:
        return None
    elif remote := _REMOTE.fullmatch(text):
        return remote["host"].strip("[]")
    else:
        rest = text
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0].rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def local_path(text: str) -> str | None:
    """The file that a `file:` address names; None for any other address."""
    found = _FILE.fullmatch(text)
    return unquote(found["path"]) if found else None
