"""Packages that are named by where they come from instead of by a name in an index."""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(
    r"(?:.*@)?\s*(?:(?:git\+)?[a-z][a-z0-9+.-]*://|git@|(?:github|gitlab|bitbucket|gist|git|sourcehut|codeberg):)",
    re.IGNORECASE | re.DOTALL,
)
_SHORT: Final = re.compile(r"[A-Za-z0-9][\w-]*/[\w.-]+(?:#.*)?")
# To these `owner/name` is a repository of GitHub.
_WITH_SHORT: Final = frozenset(
    ("npx", "bunx", "npm exec", "npm init", "pnpm dlx", "pnpm create", "yarn dlx", "yarn create", "bun x")
)


def is_address(text: str, program: str) -> bool:
    """Whether this program would fetch the package from there: `git+https://…`, `github:a/b`, `x@https://…`."""
    if "/" not in text and ":" not in text:  # as nearly all names are
        return False
    if _ADDRESS.match(text) is not None:
        return not text.startswith("file:")
    return program in _WITH_SHORT and _SHORT.fullmatch(text) is not None
