"""One request for a person's yes."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.errors import ApprovalError
from interlock.features.approvals.call import Call, digest_of, read_call

PREFIX: Final = "ap_"
WORK: Final = "approval_gate:work"  # stands where other requests name the hook that asked
Approvers = tuple[tuple[str, ...], ...]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of approvals, in the order of its columns."""

    id: int
    digest: str
    session_id: str
    actor: str
    revision: str
    call: bytes
    reason: str | None
    approvers: Approvers  # whoever says yes stands in each of these lists
    state: str
    requested_at: str
    expires_at: str
    decided_by: str | None
    decided_at: str | None
    note: str | None
    root: str
    project: str
    tool: str | None
    rule: str | None
    commitment: str | None  # what the session was at work on when it asked
    seen: str | None = None  # what the project held when it was asked, then when it was answered
    told: bool = False  # whether the agent has heard of a no

    @property
    def name(self) -> str:
        """What people call it: `ap_7`."""
        return f"{PREFIX}{self.id}"

    @property
    def of_work(self) -> bool:
        """Whether it is about a piece of work, not about a call."""
        return self.rule == WORK and self.tool is None

    @property
    def content(self) -> Call:
        """The call, after a check that it still is the one that was hashed."""
        if digest_of(self.call) != self.digest:
            raise ApprovalError(
                f"{self.name} was changed since it was asked: its call does not fit its digest; "
                "run `interlock ledger verify` and let the agent try again"
            )
        try:
            return read_call(self.call)
        except msgspec.DecodeError as error:
            raise ApprovalError(f"the call of {self.name} cannot be read: {error}") from error


def request_of(row: tuple[Any, ...]) -> Request:
    """A request as the database gives it."""
    fields = dict(zip(Request.__struct_fields__, row, strict=True))
    approvers = msgspec.json.decode(fields["approvers"], type=Approvers)
    return Request(**{**fields, "approvers": approvers, "told": bool(fields["told"])})


def number_of(name: str, prefix: str = PREFIX) -> int:
    """The number in `ap_7`; raise ApprovalError for what is no name."""
    digits = name.removeprefix(prefix)
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 18:  # noqa: PLR2004 - what a column holds
        kind = "request" if prefix == PREFIX else "grant"
        raise ApprovalError(f"`{name}` names no {kind}; write `{prefix}7`")
    return int(digits)
