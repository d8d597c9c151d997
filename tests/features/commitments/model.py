"""Commitments again, as small as can be: states, owners and who may do what, without a ledger."""

from __future__ import annotations

from dataclasses import dataclass, field

ENDED = {"closed", "duplicate", "cancelled"}


@dataclass
class Owed:
    """One commitment of the model."""

    maker: str
    tier: int
    state: str = "open"
    owner: str | None = None
    by: str | None = None  # who submitted it
    until: float | None = None  # no reopening after this


@dataclass
class Model:
    """Everything owed, by name; each method says whether it may be done, and does it."""

    window: float = 86_400.0
    owed: dict[str, Owed] = field(default_factory=dict)

    def claim(self, name: str, actor: str) -> bool:
        one = self.owed[name]
        if one.state in ENDED or one.owner not in {None, actor}:
            return False
        one.state, one.owner, one.until = "claimed", actor, None
        return True

    def release(self, name: str, actor: str) -> bool:
        one = self.owed[name]
        if one.state in ENDED or one.owner != actor:
            return False
        one.state, one.owner = "open", None
        return True

    def submit(self, name: str, actor: str, now: float) -> bool:
        one = self.owed[name]
        if one.state != "claimed" or one.owner != actor:
            return False
        one.state, one.by = "closed" if one.tier < 3 else "in_review", actor
        one.until = now + self.window if one.tier == 2 else None
        return True

    def approve(self, name: str, actor: str) -> bool:
        one = self.owed[name]
        if one.state != "in_review" or actor in {one.by, one.owner} or actor.startswith("agent:"):
            return False
        one.state = "closed"
        return True

    def reopen(self, name: str, now: float) -> bool:
        one = self.owed[name]
        late = one.state == "closed" and one.until is not None and now > one.until
        if one.state not in {"in_review", "closed"} or late:
            return False
        one.state, one.until = "reopened", None
        return True

    def close(self, name: str, actor: str, *, duplicate: bool) -> bool:
        one = self.owed[name]
        if one.state in ENDED or (duplicate and one.owner not in {None, actor}):
            return False
        if one.state == "in_review" and actor in {one.by, one.owner}:
            return False
        if one.tier == 3 and actor.startswith("agent:"):
            return False
        one.state, one.until = "duplicate" if duplicate else "closed", None
        return True

    def cancel(self, name: str, actor: str) -> bool:
        one = self.owed[name]
        if one.state in ENDED or actor not in {one.maker, one.owner}:
            return False
        one.state = "cancelled"
        return True
