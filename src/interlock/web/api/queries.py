"""What may stand behind the question mark of an address; the document of the API tells the same bounds."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

_TIME: Final = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?Z)?)?$"
_FOLDER: Final = r"^(/[^\x00]*)?$"  # a whole path

Text = Annotated[str, Meta(max_length=500)]
Limit = Annotated[int, Meta(ge=1, le=500, description="How many at most.")]
Before = Annotated[int, Meta(ge=1, le=2**62, description="The `before` of the page before this one.")]
Time = Annotated[str, Meta(pattern=_TIME, description="A time in UTC, as `2026-01-31T12:00:00Z`, or a day.")]
Span = Annotated[str, Meta(pattern="^(24h|7d|30d)$", description="`24h`, `7d` or `30d`.")]


class ListQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of a list; without `before` it is the first."""

    limit: Limit = 50
    before: Before | None = None


class DecisionsQuery(ListQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which decisions are wanted."""

    session: Text = ""
    actor: Text = ""
    tool: Text = ""
    decision: Text = ""
    rule: Text = ""
    since: Time = ""
    until: Time = ""
    q: Annotated[str, Meta(max_length=500, description="Words to search for.")] = ""


class EntriesQuery(DecisionsQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which entries of the ledger are wanted."""

    op: Annotated[str, Meta(max_length=500, description="The kind of entry.")] = ""


class TimelineQuery(ListQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose moments are wanted."""

    session: Text


class HooksQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The time the figures are about."""

    since: Span = "7d"


class PolicyQuery(HooksQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The folder whose policy is wanted; without one it is what holds everywhere."""

    folder: Annotated[str, Meta(max_length=4_096, pattern=_FOLDER)] = ""
