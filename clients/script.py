"""Which turn answers which request: one list of turns for each conversation, and harmless answers besides."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.message_stream import message
from clients.model_request import MAIN, SIDE, ModelRequest
from clients.turns import Fail, JsonObject, Turn, say

_DONE: Final = say("All done.")
_HARMLESS: Final = say('{"title": "scripted", "isNewTopic": false, "ok": true}')


class Script:
    """The turns still to be played; every conversation has its own list."""

    def __init__(
        self, turns: Sequence[Turn], agents: Mapping[str, Sequence[Turn]], side: Sequence[Turn] = ()
    ) -> None:
        named = {marker: list(own) for marker, own in agents.items()}
        self._turns: Final = {MAIN: list(turns), SIDE: list(side), **named}
        self._played: Final = dict.fromkeys(self._turns, 0)
        self._answers: Final[dict[str, JsonObject]] = {}
        self._lock: Final = threading.Lock()
        self.defects: Final[list[BaseException]] = []  # what a turn of the test itself raised

    def conversation(self, body: JsonObject) -> str:
        """Tell whose request this is; the client's own small questions offer no tools."""
        if not body.get("tools") or _structured(body):
            return SIDE
        opening = ModelRequest(conversation="", method="", target="", body=body).opening()
        return next(
            (marker for marker in self._turns if marker not in {MAIN, SIDE} and marker in opening), MAIN
        )

    def answer(self, conversation: str, body: JsonObject) -> JsonObject | Fail:
        """The next turn of a conversation; the same request again gets the same answer."""
        model = str(body.get("model", "scripted"))
        if conversation == SIDE and not self._turns[SIDE]:
            return message(_HARMLESS, name=SIDE, model=model)
        with self._lock:
            digest = _digest(conversation, body)
            if digest in self._answers:
                return self._answers[digest]
            number = self._played[conversation]
            self._played[conversation] += 1
            turn = self._turn(conversation, number)
            if isinstance(turn, Fail):
                return turn
            whole = message(turn, name=f"{conversation}_{number}", model=model)
            self._answers[digest] = whole
            return whole

    def left(self, conversation: str = MAIN) -> int:
        """How many turns were never asked for."""
        return max(0, len(self._turns[conversation]) - self._played[conversation])

    def _turn(self, conversation: str, number: int) -> Any:
        turns = self._turns[conversation]
        turn = turns[number] if number < len(turns) else _DONE
        if not callable(turn):
            return turn
        try:
            return turn()
        except BaseException as defect:  # noqa: BLE001 - raised again in the test's own thread
            self.defects.append(defect)
            return _DONE


def _structured(body: JsonObject) -> bool:
    """A side question that wants an answer by a schema."""
    config = body.get("output_config") or {}
    return bool(body.get("output_format") or config.get("format"))


def _digest(conversation: str, body: JsonObject) -> str:
    """What makes two requests the same: their messages, wherever the client put its cache marks."""
    messages = json.dumps(_unmarked(body.get("messages", [])), sort_keys=True)
    return hashlib.sha256(f"{conversation}\0{messages}".encode()).hexdigest()


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    return [_unmarked(inner) for inner in value] if isinstance(value, list) else value
