"""One call of a tool as a request to the daemon, and its answer as a tool's result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import Places
from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.features.mcp.rpc import CALL

# Under which hosts tell the id of the call, the one their hooks report it by.
USE_IDS: Final = ("claudecode/toolUseId", "toolUseId")
UNREACHABLE: Final = "E_UNREACHABLE"
_SECONDS: Final = 30.0
# Before these the policy may have something run that takes its time.
_VALIDATED: Final = frozenset({"submit", "close"})
_VALIDATED_SECONDS: Final = 1_800.0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool says."""

    document: JsonObject
    failed: bool = False

    @property
    def text(self) -> str:
        """For the model: a refusal as a sentence with its code and the next step, everything else as JSON."""
        if not self.failed:
            return msgspec.json.encode(self.document).decode()
        said = self.document
        return f"{said['error']}: {said['message']}; {said['next']}"


def ask(places: Places, name: str, arguments: JsonObject | None, meta: Mapping[str, Any] | None) -> Answer:
    """Call a tool in the daemon, which is started when it is not there; nothing is an exception."""
    use_id = next((meta[key] for key in USE_IDS if meta and isinstance(meta.get(key), str)), None)
    try:
        params = {"name": name, "arguments": arguments or {}, "use_id": use_id, "cwd": _folder()}
        return Answer(document=_requested(places, params))
    except DaemonError as error:
        data = error.data or _failure(str(error).removeprefix(f"`{CALL}`: "))
    except (InterlockError, OSError) as error:
        data = _failure(str(error))
    return Answer(document=data, failed=True)


def _requested(places: Places, params: JsonObject) -> JsonObject:
    seconds = _VALIDATED_SECONDS if params["name"] in _VALIDATED else _SECONDS
    try:
        found: JsonObject = request(places.socket, CALL, params, seconds=seconds)
    except DaemonError as error:
        if error.data is not None or not _absent(error):
            raise
        start(places)
        found = request(places.socket, CALL, params, seconds=seconds)
    return found


def _absent(error: DaemonError) -> bool:
    """Nobody took the request; one that was taken is not sent twice, for it may have been done."""
    return isinstance(error.__cause__, (FileNotFoundError, ConnectionRefusedError))


def _failure(message: str) -> JsonObject:
    sentence, _, step = message.partition("; ")
    return {"error": UNREACHABLE, "message": sentence, "next": step or "tell the person you work for"}


def _folder() -> str:
    return os.getcwd()  # noqa: PTH109 - a text for the request, and the same OSError when it is gone
