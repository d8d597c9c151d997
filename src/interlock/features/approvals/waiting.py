"""The requests that wait for an answer, for `interlock status`; no daemon is needed to read them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

from interlock.daemon.paths import Places
from interlock.errors import ApprovalError, StoreError
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.render import summary
from interlock.features.approvals.requests import Requests
from interlock.store.clock import timestamp
from interlock.store.database import open_to_read


def waiting(places: Places) -> Iterator[tuple[str, str]]:
    """The id of each, and what it asks."""
    now = timestamp(time.time())
    try:
        with closing(open_to_read(places.database)) as connection:
            found = [one for one in Requests(connection).waiting() if one.expires_at > now]
    except StoreError:  # nothing was recorded yet
        return
    for one in found:
        try:
            asked = summary(one, STANDARD_TOOLS)
        except ApprovalError as error:  # its row was changed
            asked = str(error)
        yield one.name, f"{one.actor} asks: {asked}"
