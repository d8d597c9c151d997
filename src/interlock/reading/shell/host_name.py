"""The host in whatever names one: a URL, `user@host:path`, `host:port`."""

from __future__ import annotations

import re
from typing import Final

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/*(?P<rest>.*)", re.DOTALL)
_REMOTE: Final = re.compile(r"(?:[^/@:\s]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/@:\s]+):.*", re.DOTALL)


def host_of(text: str) -> str | None:
    """The host, in lower case; None for what looks like a local path."""
    if "://" in text:
        rest = text.partition("://")[2]
    elif text.startswith(("/", "./", "../", "~")) or text in {".", ".."}:
        return None
    elif remote := _REMOTE.fullmatch(text):
        return remote["host"].strip("[]").lower() or None
    else:
        rest = text
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0].rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower() or None
    return authority.partition(":")[0].rstrip(".").lower() or None
