"""Which addresses `allowedHttpHookUrls` lets hooks call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit


def url_allowed(url: str, patterns: Iterable[Any]) -> bool:
    """Whether any pattern meets the address; `*` is a wildcard, a bare host means every path of it."""
    return any(_meets(url, pattern) for pattern in patterns if isinstance(pattern, str))


def _meets(url: str, pattern: str) -> bool:
    bare = urlsplit(pattern).path in {"", "/"} and not pattern.endswith("*")
    text = f"{pattern.rstrip('/')}/*" if bare else pattern
    address = url if urlsplit(url).path else f"{url}/"
    expression = "".join(
        ".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", _folded(text))
    )
    return re.fullmatch(expression, _folded(address), re.DOTALL) is not None


def _folded(url: str) -> str:
    """Scheme and host in lower case; the path keeps its own."""
    head, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{head}{separator}{host}".lower() + slash + path if separator else url
