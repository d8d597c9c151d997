"""Values that come from afar as they are: what a page or a decoder gives, not what was counted of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from interlock.effects.programs.lookup import base_name

# What these give is text of others; whoever stands behind them in a pipe (`wc`, `jq`) makes something of it.
_PASSING: Final = frozenset(
    "curl wget http https xh nc ncat socat base64 base32 xxd uudecode rev openssl cat head tail tee".split()
)
_ASKED: Final = re.compile(
    r"%\{|\s-\w*[Iw]\b|--head|--write-out"
)  # about an answer: `curl -w '%{http_code}'`
_QUOTES: Final = "\"'`"


def is_foreign(value: str, sources: Iterable[str]) -> bool:
    """Whether a value holds text from afar as it is, given the substitutions that bring such text."""
    return any(written in value and _gives_all(written) for written in sources)


def _gives_all(written: str) -> bool:
    last = written.strip(_QUOTES).removeprefix("$(").removesuffix(")").rpartition("|")[2].split(maxsplit=1)
    if not last or base_name(last[0]) not in _PASSING:
        return False
    return len(last) == 1 or _ASKED.search(f" {last[1]}") is None
