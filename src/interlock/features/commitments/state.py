"""The state of one workspace: never stored, always replayed from the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.features.commitments.records import (
    Annotation,
    Commitment,
    Dismissal,
    Link,
    Memory,
    Operation,
    Publication,
    Status,
)


def apply(state: State, operation: Operation) -> None:
    making = _MAKING.get(operation.op)
    if making is not None:
        making(state, operation)
        return
    commitment, change = state.commitment_of(operation), _CHANGING.get(operation.op)
    if commitment is not None and change is not None:  # a triage changes nothing
        changes = change(commitment, operation)
        state.commitments[commitment.id] = msgspec.structs.replace(
            commitment, **changes, changed=operation.ts
        )


def _capture(state: State, operation: Operation) -> None:
    state.memories[operation.id] = Memory(
        **_signed(operation),
        body=operation.text("body") or "",
        kind=operation.text("kind"),
        refs=operation.texts("refs"),
        meta=operation.meta,
    )


def _commit(state: State, operation: Operation) -> None:
    source = operation.text("source") or ""
    state.sources[source] = (*state.sources.get(source, ()), operation.id)
    state.commitments[operation.id] = Commitment(
        **_signed(operation),
        body=operation.text("body") or "",
        source=source,
        tags=operation.texts("tags"),
        meta=operation.meta,
        made_in=operation.session_id,
        changed=operation.ts,
    )


def _annotate(state: State, operation: Operation) -> None:
    target = operation.text("target") or ""
    body, kind = operation.text("body") or "", operation.text("kind")
    note = Annotation(**_signed(operation), target=target, body=body, kind=kind)
    state.annotations[target] = (*state.annotations.get(target, ()), note)


def _link(state: State, operation: Operation) -> None:
    target = operation.text("target") or ""
    link = Link(
        **_signed(operation),
        source=operation.text("source") or "",
        target=target,
        kind=operation.text("kind") or "related",
        reason=operation.text("reason"),
    )
    state.links[target] = (*state.links.get(target, ()), link)


def _dismiss(state: State, operation: Operation) -> None:
    reason, tags = operation.text("reason") or "", operation.texts("tags")
    dismissal = Dismissal(**_signed(operation), reason=reason, tags=tags)
    state.dismissals[operation.text("memory") or ""] = dismissal


def _publish(state: State, operation: Operation) -> None:
    version = operation.payload.get("version")
    state.publications[operation.id] = Publication(
        **_signed(operation),
        module=operation.text("module") or "",
        path=operation.text("path") or "",
        version=version if isinstance(version, int) else 1,
        url=operation.text("url"),
        content=operation.text("content"),
        source=operation.payload.get("source"),
    )


Changes = dict[str, Any]
_NOT_CLOSED: Final[Changes] = {"closed_by": None, "auto": False, "reopen_until": None}


def _claim(_: Commitment, operation: Operation) -> Changes:
    owner, session = operation.actor, operation.session_id
    return {"state": Status.CLAIMED, "owner": owner, "session": session, **_NOT_CLOSED}


def _release(_before: Commitment, _operation: Operation) -> Changes:
    return {"state": Status.OPEN, "owner": None, "session": None, **_NOT_CLOSED}


def _submit(_: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.IN_REVIEW,
        "evidence": operation.texts("evidence"),
        "submitted_by": operation.actor,
        "tier": operation.text("tier"),
    }


def _approve(_: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.CLOSED,
        "closed_by": operation.actor,
        "auto": operation.payload.get("auto") is True,
        "reopen_until": operation.text("reopen_until"),
    }


def _reopen(commitment: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.REOPENED,
        "sent_back": commitment.sent_back + 1,
        "reason": operation.text("reason"),
        "domain": operation.text("domain"),
        "duplicate_of": None,
        **_NOT_CLOSED,
    }


def _close(commitment: Commitment, operation: Operation) -> Changes:
    closed = {**_NOT_CLOSED, "closed_by": operation.actor}
    if (duplicate := operation.text("duplicate_of")) is not None:
        return {**closed, "state": Status.DUPLICATE, "duplicate_of": duplicate}
    return {
        **closed,
        "state": Status.CLOSED,
        "evidence": operation.texts("evidence") or commitment.evidence,
    }


def _cancel(_: Commitment, operation: Operation) -> Changes:
    closing = {"closed_by": operation.actor, "reason": operation.text("reason")}
    return {**_NOT_CLOSED, **closing, "state": Status.CANCELLED}


_MAKING: Final[dict[str, Callable[[State, Operation], None]]] = {
    "capture": _capture,
    "commit": _commit,
    "annotate": _annotate,
    "link": _link,
    "dismiss": _dismiss,
    "publish": _publish,
}
_CHANGING: Final[dict[str, Callable[[Commitment, Operation], Changes]]] = {
    "claim": _claim,
    "release": _release,
    "submit": _submit,
    "approve": _approve,
    "reopen": _reopen,
    "reject": _reopen,
    "close": _close,
    "cancel": _cancel,
}


def _signed(operation: Operation) -> dict[str, Any]:
    return {"id": operation.id, "ts": operation.ts, "actor": operation.actor}


class State:
    """Records by name. Nothing is undone; it is only followed by something else."""

    __slots__ = (
        "annotations",
        "commitments",
        "dismissals",
        "ids",
        "links",
        "memories",
        "publications",
        "source_keys",
        "sources",
    )

    def __init__(self) -> None:
        self.memories: Final[dict[str, Memory]] = {}
        self.commitments: Final[dict[str, Commitment]] = {}
        self.annotations: Final[dict[str, tuple[Annotation, ...]]] = {}  # by target
        self.links: Final[dict[str, tuple[Link, ...]]] = {}  # by target
        self.sources: Final[dict[str, tuple[str, ...]]] = {}  # memory → the commitments made from it
        self.dismissals: Final[dict[str, Dismissal]] = {}
        self.publications: Final[dict[str, Publication]] = {}
        self.source_keys: Final[dict[str, str]] = {}  # key → what was recorded under it
        self.ids: Final[set[str]] = set()

    def after(self, operation: Operation) -> State:
        """The state after an operation; this one does not change."""
        later = State()
        for name in self.__slots__:
            getattr(later, name).update(getattr(self, name))
        later.take(operation)
        return later

    def take(self, operation: Operation) -> bool:
        """Apply an operation in place; False if it was imported a second time."""
        if operation.id in self.ids:
            return False
        self.ids.add(operation.id)
        if operation.source_key is not None:
            self.source_keys.setdefault(operation.source_key, operation.id)
        apply(self, operation)
        return True

    def commitment_of(self, operation: Operation) -> Commitment | None:
        """The commitment that an operation is about."""
        return self.commitments.get(operation.text("commitment") or "")

    def record(self, name: str) -> Memory | Commitment | None:
        return self.memories.get(name) or self.commitments.get(name)

    def memory_state(self, name: str) -> str:
        """What became of a memory: committed, linked, dismissed, or nothing yet."""
        if name in self.sources:
            return "committed"
        if any(link.source == name for links in self.links.values() for link in links):
            return "linked"
        return "dismissed" if name in self.dismissals else "untriaged"
