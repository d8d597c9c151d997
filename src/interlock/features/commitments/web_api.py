"""Commitments, for programs."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from interlock.features.commitments.page import Owed, commitments_of
from interlock.web.api.endpoint import Asked, Limit, Text, endpoint


class CommitmentsQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which commitments to return."""

    limit: Limit = 100
    state: Text = ""
    workspace: Annotated[str, Meta(max_length=4_096)] = ""


class CommitmentsFound(msgspec.Struct, frozen=True, kw_only=True):
    """Commitments, the last changed first."""

    commitments: list[Owed]


@endpoint("/commitments", query=CommitmentsQuery)
def commitments(asked: Asked) -> CommitmentsFound:
    """Commitments, the last changed first."""
    query, site = asked.query, asked.site
    with site.reading() as connection:
        found = commitments_of(site.places.database).of(connection)
    fitting = [
        one
        for one in found
        if query.state in {"", str(one.commitment.state)} and query.workspace in {"", one.workspace}
    ]
    return CommitmentsFound(commitments=fitting[: query.limit])


ENDPOINTS: Final = (commitments,)
