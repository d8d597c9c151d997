"""What people have said of work that is handed in, as whoever asks them knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from interlock.daemon.policy_loader import Loaded
    from interlock.features.commitments.commitments import Caller
    from interlock.features.commitments.records import Commitment


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """How the request of a gate stands."""

    name: str  # `ap_7`
    state: str  # pending, approved, denied, expired, stale: a yes to other content than there is now
    by: str | None = None  # who answered
    new: bool = False  # it was opened just now
    note: str | None = None  # why the commitment could not be put into review, or what was said with a no
    before: str | None = None  # what became of the one that was asked before it

    @property
    def approved(self) -> bool:
        """Whether a person said yes."""
        return self.state == "approved"


class CommitmentReviews(Protocol):
    """Asks people about commitments where a policy wants that."""

    def any_wanted(self, loaded: Loaded) -> bool:
        """Whether a policy lets work wait for people at all."""

    def of_commitment(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> Review | None:
        """How it stands; None where nobody is waited for."""

    def sent_back(self, commitment: str, loaded: Loaded, by: str, note: str | None) -> None:
        """Whoever sends work back says no to it."""

    async def look(self, commitment: Commitment, loaded: Loaded, caller: Caller) -> None:
        """Find out whether what was approved of a commitment is what there is now."""

    async def ask_about(
        self, commitment: Commitment, loaded: Loaded, caller: Caller, *, after_no: bool, unasked: bool
    ) -> list[Review]:
        """Ask what is still to be asked; gives what waits."""


class _NoReviews:
    """Where nobody is asked about work."""

    def any_wanted(self, _loaded: Loaded) -> bool:
        return False

    def of_commitment(self, _commitment: Commitment, _loaded: Loaded, _caller: Caller) -> Review | None:
        return None

    def sent_back(self, _commitment: str, _loaded: Loaded, _by: str, _note: str | None) -> None:
        """Nobody waits for it."""

    async def look(self, _commitment: Commitment, _loaded: Loaded, _caller: Caller) -> None:
        """Nothing was approved."""

    async def ask_about(
        self,
        _commitment: Commitment,
        _loaded: Loaded,
        _caller: Caller,
        *,
        after_no: bool,  # noqa: ARG002 - the protocol's signature
        unasked: bool,  # noqa: ARG002 - the protocol's signature
    ) -> list[Review]:
        return []


NO_REVIEWS: Final = _NoReviews()
