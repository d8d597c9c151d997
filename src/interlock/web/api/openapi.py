"""The OpenAPI document, made of the same records that the endpoints take and return."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.version import __version__
from interlock.web.api.endpoint import BASE, CSRF_HEADER, Endpoint, Problem, json_response
from interlock.web.api.endpoints import all_endpoints
from interlock.web.auth.credentials import COOKIE

_TEMPLATE: Final = "#/components/schemas/{name}"
_REFUSALS: Final = {
    400: "A parameter or the body is wrong; `error` says which.",
    404: "Not found.",
    409: "Refused; `error` says why.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    503: "The store or the daemon does not answer.",
}
_GUARD: Final = {401: "No valid key or login.", 403: "Sent by an agent's process or from another site."}
_POSTED: Final = frozenset({409, 413, 415})
_NAME: Final = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}

Document = dict[str, Any]


@cache
def document() -> Document:
    endpoints = all_endpoints()
    gives = [one.gives for one in endpoints]
    takes = [one.body for one in endpoints if one.body is not None]
    kinds: list[type[msgspec.Struct]] = list(dict.fromkeys([Problem, *gives, *takes]))
    refs, schemas = msgspec.json.schema_components(kinds, ref_template=_TEMPLATE)
    known = dict(zip(kinds, refs, strict=True))
    paths: dict[str, Document] = {}
    for endpoint in endpoints:
        paths[f"{BASE}{endpoint.path}"] = {endpoint.method.lower(): _operation(endpoint, known)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Interlock",
            "version": __version__,
            "summary": "What agents do, and what waits for approval.",
        },
        "paths": paths,
        "security": [{"key": []}, {"login": []}],
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "`interlock ui --key` prints one.",
                },
                "login": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": f"A browser's login; a POST also needs `{CSRF_HEADER}`.",
                },
            },
        },
    }


def _operation(endpoint: Endpoint, known: dict[type[msgspec.Struct], Any]) -> Document:
    refusals = {status: text for status, text in _REFUSALS.items() if endpoint.body or status not in _POSTED}
    answers: Document = {"200": _answer(endpoint.summary, known[endpoint.gives])}
    answers |= {str(status): _answer(text, known[Problem]) for status, text in refusals.items()}
    plain = {"text/plain": {"schema": {"type": "string"}}}
    for status, text in _GUARD.items():
        answers[str(status)] = {"description": text, "content": plain}
    if endpoint.body is not None:  # a login without its form token gets this answer as JSON
        answers["403"]["content"] = {**plain, "application/json": {"schema": known[Problem]}}
    found: Document = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [*([_NAME] if "{name}" in endpoint.path else []), *_parameters(endpoint.query)],
        "responses": answers,
    }
    if endpoint.body is not None:
        content = {"application/json": {"schema": known[endpoint.body]}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _answer(text: str, schema: Any) -> Document:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _parameters(query: type[msgspec.Struct]) -> list[Document]:
    _, schemas = msgspec.json.schema_components([query], ref_template=_TEMPLATE)
    schema = schemas[query.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": property_}
        for name, property_ in schema["properties"].items()
    ]


def show(_: Request) -> Response:
    return json_response(document())


def routes() -> list[Route]:
    """Every endpoint, and this document."""
    own = Route(f"{BASE}/openapi.json", show, methods=["GET"])
    return [*(endpoint.route() for endpoint in all_endpoints()), own]
