"""Code that nobody reads and that may write a file it names: `awk '{print > "f"}'`, `sed -n 'w f'`."""

from __future__ import annotations

import re
from typing import Final

# What languages call it; where none of these stands, code that names a file only looks at it.
_WRITES: Final = re.compile(
    r"\b(?:write|dump|save|rename|replace|copy|move|mv|cp|put|spew|link|symlink)|['\"][rwax]?b?[wax+]b?\+?['\"]",
    re.ASCII,
)
_INTO: Final = r"(?:>|\b[wW][ \t])[\s'\",>]*[\w./~-]*"
_PART: Final = r"(?<![\w.-]){}(?![\w-])"


def writes_in(code: str, name: str) -> bool:
    """Whether code names a file and may write it."""
    named = _PART.format(re.escape(name))
    if re.search(named, code) is None:
        return False
    return _WRITES.search(code) is not None or re.search(_INTO + named, code) is not None
