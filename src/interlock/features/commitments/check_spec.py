"""A command that is run to see whether work is done, as a contract names it."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

CHECK_SECONDS: Final = 120.0  # of a check that says no time of its own
_LONGEST_SECONDS: Final = 600.0


class CheckSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command of one's own, with its own time."""

    command: Annotated[str, Meta(min_length=1)]
    timeout: Annotated[float, Meta(gt=0, le=_LONGEST_SECONDS)] | None = None
