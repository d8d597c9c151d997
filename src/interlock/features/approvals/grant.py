"""One grant: a person's answer to more than one call."""

from __future__ import annotations

from typing import Any, Final

import msgspec

PREFIX: Final = "gr_"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of grants, in the order of its columns."""

    id: int
    kind: str  # `call`: this one, in this session; `pattern`: whatever it covers, in this project
    digest: str | None
    pattern: str | None
    session_id: str | None
    project: str | None
    actor: str | None
    until: str | None
    approval: int | None
    granted_by: str
    granted_at: str
    revoked_by: str | None
    revoked_at: str | None
    note: str | None

    @property
    def name(self) -> str:
        """What people call it: `gr_3`."""
        return f"{PREFIX}{self.id}"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants granted beside one yes."""

    pattern: str | None = None  # None: this exact call, for this session
    until: str | None = None
    broad: bool = False  # a whole tool or more, and meant so


def grant_of(row: tuple[Any, ...]) -> Grant:
    """A grant as the database gives it."""
    return Grant(**dict(zip(Grant.__struct_fields__, row, strict=True)))
