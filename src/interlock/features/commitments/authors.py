"""The roles people and agents work in: what each may do, and what its work must point back to."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from interlock.features.commitments.policy import OPERATIONS, CommitmentPolicy
from interlock.features.commitments.records import Code, Commitment, Operation, RefusedError
from interlock.features.commitments.state import State
from interlock.policy.files.words import hint

PROVENANCE: Final = ("intent", "audit")


class AuthorType(msgspec.Struct, frozen=True, kw_only=True):
    trust_level: str
    domain: str  # its failures
    operations: frozenset[str]


AUTHOR_TYPES: Final = {
    "architect": AuthorType(
        trust_level="untrusted", domain="intent", operations=frozenset({"capture", "annotate"})
    ),
    "auditor": AuthorType(
        trust_level="trusted",
        domain="safety",
        operations=frozenset(OPERATIONS) - {"submit", "publish"},
    ),
    "executor": AuthorType(
        trust_level="authorized",
        domain="technical",
        operations=frozenset(OPERATIONS) - {"approve", "reopen", "reject", "triage", "dismiss"},
    ),
}

# An architect says what and why; these are signs of how. It is a guess, so the refusal names what was found.
_DETAIL: Final = re.compile(
    r"```"
    r"|(?<![\w/.])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w.-]+\.[A-Za-z]{1,6}\b"  # a path with a file at its end
    r"|(?<![\w/:])(?:/|\./|\.\./|~/)[\w.-]+/[\w./-]+"  # a path that begins like one
    r"|\b[\w-]+\.(?:py|ts|tsx|js|jsx|rs|go|c|h|cpp|java|rb|sh|sql|ya?ml|toml|json)\b"
    r"|\b(?:def|class|function|const|let|import|SELECT|CREATE TABLE)\b[^\n]{0,80}[({;=]"
)


def with_author(operation: Operation, policy: CommitmentPolicy) -> Operation:
    """The operation with its role and trust level. An actor with only one role always works in it."""
    meta = operation.meta
    bound = _roles_of(operation.actor, policy)
    if "author_type" not in meta and bound is not None and len(bound) == 1:
        meta = {**meta, "author_type": bound[0]}
    role = AUTHOR_TYPES.get(meta.get("author_type", ""))
    if role is not None and "trust_level" not in meta:
        meta = {**meta, "trust_level": role.trust_level}
    return operation if meta is operation.meta else msgspec.structs.replace(operation, meta=meta)


def check_role(operation: Operation, policy: CommitmentPolicy) -> None:
    """Refuse a role the actor may not have, and an operation the role may not do."""
    written = operation.meta.get("author_type")
    if written is None:
        if "trust_level" in operation.meta:
            raise _invalid("trust comes from a role and cannot be claimed", "set an `author_type` instead")
        return
    role = AUTHOR_TYPES.get(written) if isinstance(written, str) else None
    if role is None:
        raise _invalid(f"unknown author type `{written}`", hint(str(written), AUTHOR_TYPES))
    bound = _roles_of(operation.actor, policy)
    if bound is not None and written not in bound:
        allowed = f"work as {' or '.join(bound)}" if bound else "the policies together leave no role for it"
        raise _not_permitted(f"`{operation.actor}` does not act as {written}", allowed)
    if operation.meta.get("trust_level") != role.trust_level:
        level = operation.meta.get("trust_level")
        raise _invalid(f"an {written} has the trust `{role.trust_level}`, not `{level}`", "leave it out")
    if operation.op not in role.operations:
        raise _not_permitted(f"an {written} does not {operation.op}", "leave it to another role")


def check_provenance(operation: Operation, state: State) -> None:
    """Refuse references to nothing, detail from an architect, and an executor's work without an audit."""
    provenance = operation.meta.get("provenance", {})
    if not isinstance(provenance, dict):
        raise _invalid("`provenance` is not a mapping", "write `{intent: mem_…, audit: mem_…}`")
    for name in PROVENANCE:
        _check_memory(name, provenance.get(name), state)
    role = operation.meta.get("author_type")
    detail = _DETAIL.search(str(operation.payload.get("body", "")))
    if role == "architect" and detail is not None:
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"an architect says what and why, and `{detail.group()[:60]}` says how",
            "leave paths and code to the executor",
            constraint="author_type",
        )
    if role == "executor":
        _check_audit(operation, provenance, state)


def _check_audit(operation: Operation, provenance: dict[str, Any], state: State) -> None:
    audit = provenance.get("audit")
    if audit is None:
        # Work on a commitment belongs to the audit that the commitment was made from.
        commitment = state.commitment_of(operation)
        audit = audit_of(commitment) if commitment is not None else None
    memory = state.memories.get(audit) if isinstance(audit, str) else None
    if memory is None or memory.author_type != "auditor" or memory.kind == "audit-rejection":
        what = "an audit must be named" if audit is None else f"`{audit}` is not an audit that approves"
        raise RefusedError(
            Code.CONSTRAINT_VIOLATED,
            f"an executor works inside an audit, and {what}",
            "name an auditor's memory with `--audit` (over MCP: `audit`), such as `--audit mem_1a2b3c4d`",
            constraint="provenance",
        )


def audit_of(commitment: Commitment) -> str | None:
    provenance = commitment.meta.get("provenance")
    audit = provenance.get("audit") if isinstance(provenance, dict) else None
    return audit if isinstance(audit, str) else None


def _check_memory(name: str, value: Any, state: State) -> None:
    if value is not None and (not isinstance(value, str) or value not in state.memories):
        raise RefusedError(
            Code.REF_NOT_FOUND,
            f"there is no memory `{value}`, named as `{name}`",
            "`interlock commitment tree` lists all of them",
            field=f"provenance.{name}",
        )


def _roles_of(actor: str, policy: CommitmentPolicy) -> tuple[str, ...] | None:
    """The roles an actor may have: those that all files naming any agree on; None if no file names one."""
    roles: tuple[str, ...] | None = None
    for part in policy.parts:
        entry = part.entry_of(actor)
        if entry is not None and entry.author_types:
            allowed = entry.author_types if roles is None else roles
            roles = tuple(role for role in entry.author_types if role in allowed)
    return roles


def _invalid(sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.INVALID_OP, sentence, next_step, field="meta")


def _not_permitted(sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.PERMISSION_DENIED, sentence, next_step)


FALLBACK: Final = "user"
_HUMAN: Final = "human:"


def person_of(claim: dict[str, Any], default_actor: str | None) -> str:
    """`--actor`, then the environment, then the policy, then git's address, then `user`."""
    candidates = (claim.get("actor"), claim.get("environment"), default_actor, claim.get("email"))
    return next((name.strip() for name in candidates if isinstance(name, str) and name.strip()), FALLBACK)


def own_name(claim: dict[str, Any], default_actor: str | None, identity: str, *, known: bool) -> str:
    """A person's name: their own if the policy knows them, else the one they give; never another person's."""
    environment = str(claim.get("environment") or "").strip()
    claimed = str(claim.get("actor") or "").strip() or (environment if environment.startswith(_HUMAN) else "")
    own_names = {"", identity} if known else {"", identity, default_actor}
    if claimed not in own_names and (known or claimed.startswith(_HUMAN)):
        raise RefusedError(
            Code.PERMISSION_DENIED,
            f"you are `{identity}` here, and `{claimed}` is someone else",
            "leave out `--actor` and INTERLOCK_ACTOR, or name your login in `settings.people`",
            actor=identity,
        )
    if known:
        return identity
    return person_of(claim, default_actor)


def claimed_name(claim: dict[str, Any]) -> str | None:
    """Who a process says it is. For an agent's process this is recorded, not believed."""
    candidates = (claim.get("actor"), claim.get("environment"))
    return next((name for name in candidates if isinstance(name, str) and name), None)
