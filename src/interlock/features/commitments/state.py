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
    operation_of,
)
from interlock.ledger.entry import Entry


def apply(state: State, operation: Operation) -> None:
    making = _MAKING.get(operation.op)
    if making is not None:
        making(state, operation)
        return
    name, change = operation.payload.get("commitment"), _CHANGING.get(operation.op)
    commitment = state.commitments.get(name) if isinstance(name, str) else None
    if commitment is not None and change is not None:  # a triage changes nothing
        changes = change(commitment, operation)
        state.commitments[commitment.id] = msgspec.structs.replace(
            commitment, **changes, changed=operation.ts
        )


def _capture(state: State, operation: Operation) -> None:
    state.memories[operation.id] = Memory(
        **_signed(operation),
        body=_get_text(operation, "body") or "",
        kind=_get_text(operation, "kind"),
        refs=_texts(operation, "refs"),
        meta=operation.meta,
    )


def _commit(state: State, operation: Operation) -> None:
    source = _get_text(operation, "source") or ""
    state.sources[source] = (*state.sources.get(source, ()), operation.id)
    state.commitments[operation.id] = Commitment(
        **_signed(operation),
        body=_get_text(operation, "body") or "",
        source=source,
        tags=_texts(operation, "tags"),
        meta=operation.meta,
        made_in=operation.session_id,
        changed=operation.ts,
    )


def _annotate(state: State, operation: Operation) -> None:
    target = _get_text(operation, "target") or ""
    body, kind = _get_text(operation, "body") or "", _get_text(operation, "kind")
    note = Annotation(**_signed(operation), target=target, body=body, kind=kind)
    state.annotations[target] = (*state.annotations.get(target, ()), note)


def _link(state: State, operation: Operation) -> None:
    target = _get_text(operation, "target") or ""
    link = Link(
        **_signed(operation),
        source=_get_text(operation, "source") or "",
        target=target,
        kind=_get_text(operation, "kind") or "related",
        reason=_get_text(operation, "reason"),
    )
    state.links[target] = (*state.links.get(target, ()), link)


def _dismiss(state: State, operation: Operation) -> None:
    reason, tags = _get_text(operation, "reason") or "", _texts(operation, "tags")
    dismissal = Dismissal(**_signed(operation), reason=reason, tags=tags)
    state.dismissals[_get_text(operation, "memory") or ""] = dismissal


def _publish(state: State, operation: Operation) -> None:
    version = operation.payload.get("version")
    state.publications[operation.id] = Publication(
        **_signed(operation),
        module=_get_text(operation, "module") or "",
        path=_get_text(operation, "path") or "",
        version=version if isinstance(version, int) else 1,
        url=_get_text(operation, "url"),
        content=_get_text(operation, "content"),
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
        "evidence": _texts(operation, "evidence"),
        "submitted_by": operation.actor,
        "tier": _get_text(operation, "tier"),
    }


def _approve(_: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.CLOSED,
        "closed_by": operation.actor,
        "auto": operation.payload.get("auto") is True,
        "reopen_until": _get_text(operation, "reopen_until"),
    }


def _reopen(commitment: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.REOPENED,
        "sent_back": commitment.sent_back + 1,
        "reason": _get_text(operation, "reason"),
        "domain": _get_text(operation, "domain"),
        "duplicate_of": None,
        **_NOT_CLOSED,
    }


def _close(commitment: Commitment, operation: Operation) -> Changes:
    closed = {**_NOT_CLOSED, "closed_by": operation.actor}
    duplicate = _get_text(operation, "duplicate_of")
    if duplicate is not None:
        return {**closed, "state": Status.DUPLICATE, "duplicate_of": duplicate}
    return {
        **closed,
        "state": Status.CLOSED,
        "evidence": _texts(operation, "evidence") or commitment.evidence,
    }


def _cancel(_: Commitment, operation: Operation) -> Changes:
    changes = {
        "state": Status.CANCELLED,
        "closed_by": operation.actor,
        "reason": _get_text(operation, "reason"),
    }
    return {**_NOT_CLOSED, **changes}


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


def _get_text(operation: Operation, name: str) -> str | None:
    value = operation.payload.get(name)
    return value if isinstance(value, str) and value else None


def _texts(operation: Operation, name: str) -> tuple[str, ...]:
    """A list of texts, or a single one: a close names its evidence as a text."""
    value = operation.payload.get(name)
    if isinstance(value, str) and value:
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


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

    def after(self, entry: Entry | Operation) -> State:
        """The state after an entry; this one does not change."""
        later = self.copy()
        later.take(entry)
        return later

    def copy(self) -> State:
        other = State()
        for name in self.__slots__:
            getattr(other, name).update(getattr(self, name))
        return other

    def take(self, entry: Entry | Operation) -> Operation | None:
        """Apply one entry in place and return its operation; only for the owner of this state."""
        operation = operation_of(entry) if isinstance(entry, Entry) else entry
        if operation is None or operation.id in self.ids:
            return None  # imported a second time
        self.ids.add(operation.id)
        if operation.source_key is not None:
            self.source_keys.setdefault(operation.source_key, operation.id)
        apply(self, operation)
        return operation

    def record(self, name: str) -> Memory | Commitment | None:
        return self.memories.get(name) or self.commitments.get(name)

    def memory_state(self, name: str) -> str:
        """What became of a memory: committed, linked, dismissed, or nothing yet."""
        if name in self.sources:
            return "committed"
        if any(link.source == name for links in self.links.values() for link in links):
            return "linked"
        return "dismissed" if name in self.dismissals else "untriaged"
