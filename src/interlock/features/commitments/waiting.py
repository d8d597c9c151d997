"""The commitments of this project in review, for `interlock status`."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.cli.daemon_client import place
from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import Places

_SECONDS = 0.3


def waiting(places: Places) -> Iterator[tuple[str, str]]:
    """The id of each, and what was promised; none where no daemon answers."""
    wanted = {**place(), "state": "in_review", "owner": None, "tag": None}
    try:
        found = request(places.socket, "commitments.list", wanted, seconds=_SECONDS)
    except DaemonError:
        return
    for one in found["commitments"]:
        yield one["id"], f"in review: {' '.join(one['body'].split())}"
