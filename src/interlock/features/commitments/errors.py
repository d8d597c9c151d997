"""Why an operation is not recorded: a code for programs, a sentence and a next step for people."""

from __future__ import annotations

from enum import StrEnum

from interlock.errors import RefusedRequestError


class Code(StrEnum):
    """Every reason there is."""

    MISSING_FIELD = "E_MISSING_FIELD"
    EMPTY_BODY = "E_EMPTY_BODY"
    REF_NOT_FOUND = "E_REF_NOT_FOUND"
    ALREADY_CLOSED = "E_ALREADY_CLOSED"
    ALREADY_CLAIMED = "E_ALREADY_CLAIMED"
    NOT_OWNER = "E_NOT_OWNER"
    DUPLICATE_ID = "E_DUPLICATE_ID"
    DUPLICATE_SOURCE_KEY = "E_DUPLICATE_SOURCE_KEY"
    PERMISSION_DENIED = "E_PERMISSION_DENIED"
    CONSTRAINT_VIOLATED = "E_CONSTRAINT_VIOLATED"
    INVALID_OP = "E_INVALID_OP"
    WORKSPACE_LOCKED = "E_WORKSPACE_LOCKED"  # the ledger cannot be written now
    NO_WORKSPACE = "E_NO_WORKSPACE"
    CITATION_REQUIRED = "E_CITATION_REQUIRED"


class RefusedError(RefusedRequestError):
    """An operation that was not recorded; nothing was written."""

    code: Code
