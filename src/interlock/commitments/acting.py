"""Who does an operation: what a person says of themselves, in a fixed order."""

from __future__ import annotations

from typing import Any, Final

FALLBACK: Final = "user"


def person_of(claim: dict[str, Any], default_actor: str | None) -> str:
    """`--actor`, then the environment, then the policy, then git's address, then `user`."""
    said = (claim.get("actor"), claim.get("environment"), default_actor, claim.get("email"))
    return next((one.strip() for one in said if isinstance(one, str) and one.strip()), FALLBACK)


def claimed(claim: dict[str, Any]) -> str | None:
    """Who a process says it is; of an agent's this is recorded and not believed."""
    said = (claim.get("actor"), claim.get("environment"))
    return next((one for one in said if isinstance(one, str) and one), None)
