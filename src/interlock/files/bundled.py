"""Files that came with the package: it always stands unpacked, for its shim does.

`importlib.resources` finds them too, and takes 4 ms of every start to be ready for archives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[1]


def bundled_file(place: str) -> Path:
    """Where `room/file` of the package stands on this machine."""
    return _PACKAGE / place
