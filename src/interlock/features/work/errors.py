"""Why something about the work is not done: a code for programs, a sentence and a next step for people."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from interlock.errors import InterlockError


class Code(StrEnum):
    """Every reason there is."""

    NOT_FOUND = "NOT_FOUND"
    ALREADY_ENDED = "ALREADY_ENDED"
    ALREADY_FINISHED = "ALREADY_FINISHED"
    UNKNOWN_PHASE = "UNKNOWN_PHASE"
    PHASE_NOT_SEQUENTIAL = "PHASE_NOT_SEQUENTIAL"
    BAD_PAYLOAD = "BAD_PAYLOAD"
    BAD_STATUS = "BAD_STATUS"
    NO_EFFORT = "NO_EFFORT"
    NO_SESSION = "NO_SESSION"
    NOT_YOURS = "NOT_YOURS"
    VALIDATION_ERROR = "VALIDATION_ERROR"


class RefusedError(InterlockError):
    """Something that was not done; nothing was written."""

    def __init__(self, code: Code, sentence: str, next_step: str, **about: Any) -> None:
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
        self.about = about  # the id, label or field it is about, for programs
        super().__init__(f"{code}: {sentence}; {next_step}")

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        said = {"error": self.code.value, "message": self.sentence, "next": self.next_step}
        return {**self.about, **said}
