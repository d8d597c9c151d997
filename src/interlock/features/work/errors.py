"""Why something about the work is not done: a code for programs, a sentence and a next step for people."""

from __future__ import annotations

from enum import StrEnum

from interlock.errors import RefusedRequestError


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


class RefusedError(RefusedRequestError):
    """Something that was not done; nothing was written."""

    code: Code
