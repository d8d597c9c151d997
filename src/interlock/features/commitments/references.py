"""Everything an operation names must be there, in the same workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from interlock.events.tool import JsonObject
from interlock.features.commitments.operation import Operation
from interlock.features.commitments.refusal import Code, RefusedError
from interlock.features.commitments.state import State

# Kinds of memories that are drawn from something, and must say from what.
CITING: Final = frozenset({"finding", "step_result", "learning"})


def check_references(operation: Operation, state: State) -> None:
    """Refuse an operation that names what is not there, or two things where one is meant."""
    payload = operation.payload
    for name in ("refs",):
        for one in payload.get(name, ()):
            if one not in state.ids:
                raise _missing(name, one, "record")
    check = _CHECKS.get(operation.op)
    if check is not None:
        check(payload, state)
    elif "commitment" in payload:
        _commitment("commitment", payload["commitment"], state)


def _capture(payload: JsonObject, _: State) -> None:
    if payload.get("kind") in CITING and not payload.get("refs"):
        raise RefusedError(
            Code.CITATION_REQUIRED,
            f"a {payload['kind']} names what it was drawn from",
            "give the ids with `--ref`",
            field="refs",
        )


def _commit(payload: JsonObject, state: State) -> None:
    _memory("source", payload["source"], state)


def _close(payload: JsonObject, state: State) -> None:
    evidence, duplicate = payload.get("evidence"), payload.get("duplicate_of")
    if not evidence and not duplicate:
        raise RefusedError(
            Code.MISSING_FIELD,
            "closing needs `evidence` or `duplicate_of`",
            "capture what shows that it is done and name it",
            field="evidence",
        )
    if evidence and duplicate:
        raise _unclear("a commitment is closed with `evidence` or as `duplicate_of`, not both")
    _commitment("commitment", payload["commitment"], state)
    if evidence:
        _memory("evidence", evidence, state)
        return
    _commitment("duplicate_of", duplicate, state)
    if duplicate == payload["commitment"]:
        raise _unclear("a commitment is no duplicate of itself")


def _annotate(payload: JsonObject, state: State) -> None:
    _record("target", payload["target"], state)


def _link(payload: JsonObject, state: State) -> None:
    _record("source", payload["source"], state)
    _commitment("target", payload["target"], state)
    if payload["source"] == payload["target"]:
        raise _unclear("a commitment is not linked to itself")


def _dismiss(payload: JsonObject, state: State) -> None:
    _memory("memory", payload["memory"], state)


def _triage(payload: JsonObject, state: State) -> None:
    for one in payload["reviewed"]:
        _memory("reviewed", one, state)
    for decision in payload.get("decisions", ()):
        if decision["memory"] not in payload["reviewed"]:
            raise _unclear(f"`{decision['memory']}` was decided on and not reviewed")
        if decision["action"] in {"create", "link"} or "target" in decision:
            _commitment("target", decision.get("target"), state)


def _submit(payload: JsonObject, state: State) -> None:
    _commitment("commitment", payload["commitment"], state)
    for one in payload["evidence"]:
        _memory("evidence", one, state)


def _publish(payload: JsonObject, state: State) -> None:
    if "source" in payload:
        _record("source", payload["source"], state)


_CHECKS: Final[dict[str, Callable[[JsonObject, State], None]]] = {
    "capture": _capture,
    "commit": _commit,
    "close": _close,
    "annotate": _annotate,
    "link": _link,
    "dismiss": _dismiss,
    "triage": _triage,
    "submit": _submit,
    "publish": _publish,
}


def _memory(field: str, name: Any, state: State) -> None:
    if name not in state.memories:
        raise _missing(field, name, "memory")


def _commitment(field: str, name: Any, state: State) -> None:
    if name not in state.commitments:
        raise _missing(field, name, "commitment")


def _record(field: str, name: Any, state: State) -> None:
    if state.record(name) is None:
        raise _missing(field, name, "memory or commitment")


def _missing(field: str, name: Any, what: str) -> RefusedError:
    return RefusedError(
        Code.REF_NOT_FOUND,
        f"there is no {what} `{name}` in this workspace",
        "`interlock commitment list` shows those there are",
        field=field,
        value=name,
    )


def _unclear(sentence: str) -> RefusedError:
    return RefusedError(Code.INVALID_OP, sentence, "correct what is named")
