"""Who does an operation: what a person says of themselves, in a fixed order."""

from __future__ import annotations

from typing import Any, Final

from interlock.features.commitments.refusal import Code, RefusedError

FALLBACK: Final = "user"
_HUMAN: Final = "human:"


def person_of(claim: dict[str, Any], default_actor: str | None) -> str:
    """`--actor`, then the environment, then the policy, then git's address, then `user`."""
    said = (claim.get("actor"), claim.get("environment"), default_actor, claim.get("email"))
    return next((one.strip() for one in said if isinstance(one, str) and one.strip()), FALLBACK)


def own_name(claim: dict[str, Any], default_actor: str | None, identity: str, *, known: bool) -> str:
    """Who a person is: themselves where the policy knows them, else who they say; never another person."""
    environment = str(claim.get("environment") or "").strip()
    said = str(claim.get("actor") or "").strip() or (environment if environment.startswith(_HUMAN) else "")
    theirs = {"", identity} if known else {"", identity, default_actor}
    if said not in theirs and (known or said.startswith(_HUMAN)):
        raise RefusedError(
            Code.PERMISSION_DENIED,
            f"you are `{identity}` here, and `{said}` is somebody else",
            "leave `--actor` and INTERLOCK_ACTOR out, or name your login in `settings.people`",
            actor=identity,
        )
    if known:
        return identity
    return person_of(claim, default_actor)


def claimed(claim: dict[str, Any]) -> str | None:
    """Who a process says it is; of an agent's this is recorded and not believed."""
    said = (claim.get("actor"), claim.get("environment"))
    return next((one for one in said if isinstance(one, str) and one), None)
