"""How records are shown: as documents for programs, as branches of a tree for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.constraints import tier_of
from interlock.features.commitments.errors import Code, RefusedError
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import DOMAINS, Commitment, Memory
from interlock.features.commitments.state import State

_DEEPEST: Final = 100  # branches below each other


def listed(state: State, policy: CommitmentPolicy, params: JsonObject) -> list[JsonObject]:
    """The commitments of a workspace that fit, in the order they were made."""
    wanted = {name: params.get(name) for name in ("state", "owner", "tag")}
    return [
        row(commitment, state, policy)
        for commitment in state.commitments.values()
        if (wanted["state"] is None or commitment.state == wanted["state"])
        and (wanted["owner"] is None or commitment.owner == wanted["owner"])
        and (wanted["tag"] is None or wanted["tag"] in commitment.tags)
    ]


def row(commitment: Commitment, state: State, policy: CommitmentPolicy) -> JsonObject:
    """A commitment with everything that is known of it, but for what is tied to it."""
    tier = tier_of(commitment, state, policy)
    return {
        **_as_plain(commitment),
        "tier": str(tier),
        "requires_review": policy.waits(tier),
        "failed": DOMAINS.get(commitment.domain or ""),
    }


def show_record(state: State, policy: CommitmentPolicy, name: str) -> JsonObject:
    """One record with what is tied to it."""
    commitment = state.commitments.get(name)
    if commitment is not None:
        tied = {
            "source": _memory(commitment.source, state),
            "evidence": [_memory(one, state) for one in commitment.evidence],
            "links": [_as_plain(link) for link in state.links.get(name, ())],
            "duplicates": [c.id for c in state.commitments.values() if c.duplicate_of == name],
            "annotations": [_as_plain(note) for note in state.annotations.get(name, ())],
        }
        return {"commitment": row(commitment, state, policy), **tied}
    memory = state.memories.get(name)
    if memory is not None:
        dismissal = state.dismissals.get(name)
        return {
            "memory": {**_as_plain(memory), "state": state.memory_state(name)},
            "commitments": list(state.sources.get(name, ())),
            "dismissal": _as_plain(dismissal) if dismissal else None,
            "annotations": [_as_plain(note) for note in state.annotations.get(name, ())],
        }
    publication = state.publications.get(name)
    if publication is not None:
        return {"publication": _as_plain(publication)}
    raise RefusedError(
        Code.REF_NOT_FOUND,
        f"there is no memory, commitment or publication `{name}` in this workspace",
        "`interlock commitment list` lists the commitments",
        value=name,
    )


def tree(state: State, policy: CommitmentPolicy, name: str | None = None) -> list[JsonObject]:
    """Memories, the commitments made from them, and what shows that those were kept."""
    if name is not None and state.record(name) is None:
        raise RefusedError(
            Code.REF_NOT_FOUND,
            f"there is no memory or commitment `{name}` in this workspace",
            "`interlock commitment tree` lists all of them",
            value=name,
        )
    grown = _Tree(state, policy)
    if name is not None:
        return [grown.branch(name)]
    return [grown.branch(one) for one in grown.roots()]


class _Tree:
    """What hangs below what, found once for all branches."""

    def __init__(self, state: State, policy: CommitmentPolicy) -> None:
        self._state: Final = state
        self._charter: Final = policy
        self._below: Final[dict[str, dict[str, str]]] = {}
        self._drawn: Final[set[str]] = set()
        for commitment in state.commitments.values():
            self._hang(commitment.source, commitment.id, "owes")
            for one in commitment.evidence:
                self._hang(commitment.id, one, "evidence")
            if commitment.duplicate_of is not None:
                self._hang(commitment.duplicate_of, commitment.id, "duplicate")
        for links in state.links.values():
            for link in links:
                self._hang(link.target, link.source, link.kind)
        for memory in state.memories.values():
            for ref in memory.refs:
                self._hang(ref, memory.id, "from it")

    def _hang(self, above: str, name: str, how: str) -> None:
        self._below.setdefault(above, {}).setdefault(name, how)

    def roots(self) -> Iterator[str]:
        """The memories nothing leads to; and of those that lead to each other, the first."""
        hanging = {one for above, below in self._below.items() for one in below if one != above}
        reached: set[str] = set()
        for free in (True, False):
            for name in self._state.memories:
                if name not in reached and (name not in hanging or not free):
                    self._reach(name, reached)
                    yield name

    def _reach(self, name: str, reached: set[str]) -> None:
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += self._below.get(one, ())

    def branch(self, name: str, how: str = "", above: tuple[str, ...] = ()) -> JsonObject:
        """A record and what hangs below it; the second time it is met, its name alone.

        Else what is linked crosswise would be drawn once for every way that leads there.
        """
        line = (*above, name)
        again = name in self._drawn or len(above) >= _DEEPEST
        self._drawn.add(name)
        hanging = {} if again else self._below.get(name, {})
        below = [self.branch(one, why, line) for one, why in hanging.items() if one not in line]
        return {"id": name, "how": how, **self._describe(name), "children": below}

    def _describe(self, name: str) -> JsonObject:
        commitment = self._state.commitments.get(name)
        if commitment is not None:
            tier = str(tier_of(commitment, self._state, self._charter))
            owner, body = commitment.owner, commitment.body
            return {"state": str(commitment.state), "owner": owner, "tier": tier, "body": body}
        memory = self._state.memories.get(name)
        if memory is None:
            return {"body": ""}
        return {"kind": memory.kind, "state": self._state.memory_state(name), "body": memory.body}


def _memory(name: str, state: State) -> JsonObject:
    memory: Memory | None = state.memories.get(name)
    return _as_plain(memory) if memory is not None else {"id": name}


def _as_plain(record: msgspec.Struct) -> JsonObject:
    plain: dict[str, Any] = msgspec.to_builtins(record)
    return plain
