"""How long a text may be that is read while others wait for the same process."""

from __future__ import annotations

from typing import Final

# A longer one is read elsewhere where others wait.
INLINE: Final = 2_048
