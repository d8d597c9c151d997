"""The commands about commitments, made of the table of operations, in the order of a commitment's life."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, cleandoc
from typing import Annotated, Any, Final

import typer

from interlock.cli.agent_request import Json
from interlock.errors import InterlockError
from interlock.features.approvals.cli_answer import answer_of, approve_requests, deny_requests
from interlock.features.commitments import cli_request as also
from interlock.features.commitments.cli_request import meta_of, perform
from interlock.features.commitments.cli_text import answer_text
from interlock.features.commitments.cli_view import commitment
from interlock.features.commitments.operations import FORMS, Field, Form

_ALSO: Final[dict[str, Any]] = {
    "source_key": also.Key,
    "session": also.Session,
    "author_type": also.AuthorType,
    "audit": also.Audit,
    "intent": also.Intent,
    "meta": also.Meta,
    "actor": also.Actor,
}
Given = dict[str, Any]


def add(app: typer.Typer) -> None:
    """Give the program its commands about what is owed."""
    for op, form in FORMS.items():
        app.command(op, help=cleandoc(form.about), epilog=f"Example: interlock {form.example}")(
            _command(op, form)
        )
    app.add_typer(commitment, name="commitment")


def _command(op: str, form: Form) -> Callable[..., int]:
    """What runs an operation, with an argument or option for each field that people may give."""

    def run(**given: Any) -> int:
        payload = {name: given.pop(name) for name in form.fields if name in given}
        if op == "triage":
            payload |= _triaged(payload["reviewed"])
        if op in _ANSWERING:
            code = _ANSWERING[op](payload, given["as_json"])
            if code or payload["commitment"] is None:
                return code
        meta = meta_of(*(given.pop(name, None) for name in ("author_type", "audit", "intent", "meta")))
        return perform(op, payload, answer_text, meta=meta, **given)

    taken = {name: _annotated(field) for name, field in form.fields.items() if field.help is not None}
    taken |= {name: _ALSO[name] for name in (*form.also, "actor")} | {"as_json": Json}
    needed = [name for name, field in form.fields.items() if field.metavar is not None]
    run.__annotations__ = {**taken, "return": int}
    run.__dict__["__signature__"] = Signature(
        [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                annotation=kind,
                default=Parameter.empty if name in needed else (False if name == "as_json" else None),
            )
            for name, kind in taken.items()
        ]
    )
    return run


def _annotated(field: Field) -> Any:
    """The type of a field, and how people write it."""
    if field.metavar is not None:
        kind = list[str] if field.kind.many else str
        return Annotated[kind, typer.Argument(metavar=field.metavar, help=field.help)]
    option = typer.Option(*field.options, help=field.help, show_default=False)
    return Annotated[list[str] | None if field.kind.many else str | None, option]


def _triaged(texts: list[str]) -> Given:
    """The memories looked through, and what was decided of them."""
    made = [_decision(text) for text in texts]
    decided = [one for one in made if "action" in one]
    return {"reviewed": [one["memory"] for one in made], "decisions": decided}


def _decision(text: str) -> Given:
    memory, equals, rest = text.partition("=")
    action, colon, target = rest.partition(":")
    if not memory or (equals and not action) or (colon and not target):
        raise InterlockError(f"`{text}` is no decision; write it as in `mem_1a2b3c4d=link:cmt_5e6f7a8b`")
    found = {"memory": memory, "action": action, "target": target}
    return {name: value for name, value in found.items() if value}


def _approve(payload: Given, as_json: bool) -> int:
    answer = answer_of(payload["commitment"])
    payload["commitment"] = answer.commitment
    return approve_requests(answer, payload["comment"], as_json=as_json)


def _reject(payload: Given, as_json: bool) -> int:
    answer = answer_of(payload["commitment"])
    payload["commitment"] = answer.commitment
    return deny_requests(answer, payload["reason"], as_json=as_json)


# Requests of agents are answered before the commitment; none is left where the name is only a request's.
_ANSWERING: Final = {"approve": _approve, "reject": _reject}
