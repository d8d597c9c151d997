"""How everything in one workspace stands: never stored, always replayed from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from interlock.features.commitments.operation import Operation, operation_of
from interlock.features.commitments.records import (
    Annotation,
    Commitment,
    Dismissal,
    Link,
    Memory,
    Publication,
    Status,
)
from interlock.ledger.entry import Entry


def apply(state: State, operation: Operation) -> None:
    """Change the state by one operation."""
    making = _MAKING.get(operation.op)
    if making is not None:
        making(state, operation)
        return
    name = operation.payload.get("commitment")
    before = state.commitments.get(name) if isinstance(name, str) else None
    if before is not None:
        changes = _CHANGING[operation.op](before, operation)
        state.commitments[before.id] = msgspec.structs.replace(before, **changes, changed=operation.ts)


def _capture(state: State, operation: Operation) -> None:
    payload = operation.payload
    state.memories[operation.id] = Memory(
        id=operation.id,
        ts=operation.ts,
        actor=operation.actor,
        body=_text(payload.get("body")) or "",
        kind=_text(payload.get("kind")),
        refs=_texts(payload.get("refs")),
        meta=operation.meta,
    )


def _commit(state: State, operation: Operation) -> None:
    payload = operation.payload
    source = _text(payload.get("source")) or ""
    state.sources[source] = (*state.sources.get(source, ()), operation.id)
    state.commitments[operation.id] = Commitment(
        id=operation.id,
        ts=operation.ts,
        actor=operation.actor,
        body=_text(payload.get("body")) or "",
        source=source,
        tags=_texts(payload.get("tags")),
        meta=operation.meta,
        made_in=operation.session_id,
        changed=operation.ts,
    )


def _annotate(state: State, operation: Operation) -> None:
    payload = operation.payload
    target = _text(payload.get("target")) or ""
    note = Annotation(
        id=operation.id,
        ts=operation.ts,
        actor=operation.actor,
        target=target,
        body=_text(payload.get("body")) or "",
        kind=_text(payload.get("kind")),
    )
    state.annotations[target] = (*state.annotations.get(target, ()), note)


def _link(state: State, operation: Operation) -> None:
    payload = operation.payload
    target = _text(payload.get("target")) or ""
    link = Link(
        id=operation.id,
        ts=operation.ts,
        actor=operation.actor,
        source=_text(payload.get("source")) or "",
        target=target,
        kind=_text(payload.get("kind")) or "related",
        reason=_text(payload.get("reason")),
    )
    state.links[target] = (*state.links.get(target, ()), link)


def _dismiss(state: State, operation: Operation) -> None:
    payload = operation.payload
    state.dismissals[_text(payload.get("memory")) or ""] = Dismissal(
        id=operation.id,
        ts=operation.ts,
        actor=operation.actor,
        reason=_text(payload.get("reason")) or "",
        tags=_texts(payload.get("tags")),
    )


def _triage(state: State, operation: Operation) -> None:
    state.triages[operation.id] = operation


def _publish(state: State, operation: Operation) -> None:
    payload = operation.payload
    version = payload.get("version")
    state.publications[operation.id] = Publication(
        id=operation.id,
        ts=operation.ts,
        actor=operation.actor,
        module=_text(payload.get("module")) or "",
        path=_text(payload.get("path")) or "",
        version=version if isinstance(version, int) else 1,
        url=_text(payload.get("url")),
        content=_text(payload.get("content")),
        source=payload.get("source"),
    )


Changes = dict[str, Any]
_STANDING: Final[Changes] = {"closed_by": None, "auto": False, "reopen_until": None}


def _claim(_: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.CLAIMED,
        "owner": operation.actor,
        "session": operation.session_id,
        **_STANDING,
    }


def _release(_before: Commitment, _operation: Operation) -> Changes:
    return {"state": Status.OPEN, "owner": None, "session": None, **_STANDING}


def _submit(_: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.IN_REVIEW,
        "evidence": _texts(operation.payload.get("evidence")),
        "submitted_by": operation.actor,
        "tier": _text(operation.payload.get("tier")),
    }


def _approve(_: Commitment, operation: Operation) -> Changes:
    return {
        "state": Status.CLOSED,
        "closed_by": operation.actor,
        "auto": operation.payload.get("auto") is True,
        "reopen_until": _text(operation.payload.get("reopen_until")),
    }


def _reopen(before: Commitment, operation: Operation) -> Changes:
    payload = operation.payload
    reason, domain = _text(payload.get("reason")), _text(payload.get("domain"))
    return {
        "state": Status.REOPENED,
        "sent_back": before.sent_back + 1,
        "reason": reason,
        "domain": domain,
        "duplicate_of": None,
        **_STANDING,
    }


def _close(before: Commitment, operation: Operation) -> Changes:
    closed = {**_STANDING, "closed_by": operation.actor}
    duplicate = _text(operation.payload.get("duplicate_of"))
    if duplicate is not None:
        return {**closed, "state": Status.DUPLICATE, "duplicate_of": duplicate}
    evidence = _texts(operation.payload.get("evidence")) or before.evidence
    return {**closed, "state": Status.CLOSED, "evidence": evidence}


def _cancel(_: Commitment, operation: Operation) -> Changes:
    return {
        **_STANDING,
        "state": Status.CANCELLED,
        "closed_by": operation.actor,
        "reason": _text(operation.payload.get("reason")),
    }


_MAKING: Final[dict[str, Callable[[State, Operation], None]]] = {
    "capture": _capture,
    "commit": _commit,
    "annotate": _annotate,
    "link": _link,
    "dismiss": _dismiss,
    "triage": _triage,
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


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...]:
    """A list of texts, or one text alone, as a close has its evidence."""
    if isinstance(value, str) and value:
        return (value,)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


class State:
    """Records by their names; what happened is never undone, only followed by something else."""

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
        "triages",
    )

    def __init__(self) -> None:
        self.memories: Final[dict[str, Memory]] = {}
        self.commitments: Final[dict[str, Commitment]] = {}
        self.annotations: Final[dict[str, tuple[Annotation, ...]]] = {}  # by what they are about
        self.links: Final[dict[str, tuple[Link, ...]]] = {}  # by the commitment they lead to
        self.sources: Final[dict[str, tuple[str, ...]]] = {}  # memory → the commitments made from it
        self.dismissals: Final[dict[str, Dismissal]] = {}
        self.publications: Final[dict[str, Publication]] = {}
        self.triages: Final[dict[str, Operation]] = {}
        self.source_keys: Final[dict[str, str]] = {}  # key → what was recorded under it
        self.ids: Final[set[str]] = set()

    def after(self, entry: Entry | Operation) -> State:
        """The state once an entry stands; this one stays as it is."""
        later = self.copy()
        later.take(entry)
        return later

    def copy(self) -> State:
        """The same state, to go on from."""
        other = State()
        for name in self.__slots__:
            getattr(other, name).update(getattr(self, name))
        return other

    def take(self, entry: Entry | Operation) -> Operation | None:
        """Go on by one entry and give what it records; for whoever holds this state alone."""
        operation = operation_of(entry) if isinstance(entry, Entry) else entry
        if operation is None or operation.id in self.ids:
            return None  # an import of what is there already changes nothing
        self.ids.add(operation.id)
        if operation.source_key is not None:
            self.source_keys.setdefault(operation.source_key, operation.id)
        apply(self, operation)
        return operation

    def record(self, name: str) -> Memory | Commitment | None:
        """The memory or commitment of this name."""
        return self.memories.get(name) or self.commitments.get(name)

    def memory_state(self, name: str) -> str:
        """What became of a memory: committed, linked, dismissed, or nothing yet."""
        if name in self.sources:
            return "committed"
        if any(link.source == name for links in self.links.values() for link in links):
            return "linked"
        return "dismissed" if name in self.dismissals else "untriaged"


def replay(entries: Iterable[Entry | Operation]) -> State:
    """The state after all of these, in their order."""
    state = State()
    for entry in entries:
        state.take(entry)
    return state
