"""Whatever a program sends, the API answers as its document says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.daemon.approvers import ask, states
from tests.web.conftest import served
from tests.web.programs import Program, program

from interlock.web.api.endpoints import all_endpoints
from interlock.web.api.openapi import document

pytestmark = pytest.mark.deep

READ = [endpoint for endpoint in all_endpoints() if endpoint.body is None]
ANSWERS = [endpoint for endpoint in all_endpoints() if endpoint.body is not None]
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "1",
        "-1",
        "0",
        "true",
        "null",
        "s",
        "deny",
        "7d",
        "2026-01-31",
        "/tmp",
        '"',
        "a AND",
        "*",
        "\x00",
        "%",
        "9" * 30,
    ]
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def asking() -> Iterator[Program]:
    """A program at a home in which a request waits."""
    with served() as home:
        ask(home, "t1")
        yield program(home)


def check(endpoint: Any, answer: Any) -> None:
    """The status is one of those told, and the body is of its kind."""
    told = document()
    operation = told["paths"][f"/api/v1{endpoint.path}"][endpoint.method.lower()]
    assert str(answer.status) in operation["responses"], (answer.status, answer.text)
    assert answer.status < 500, answer.text
    content = operation["responses"][str(answer.status)]["content"]
    schema = content[answer.headers["content-type"]]["schema"]
    body = json.loads(answer.text)
    jsonschema.Draft202012Validator({**schema, "components": told["components"]}).validate(body)


@pytest.mark.parametrize("endpoint", READ, ids=lambda one: str(one.name))
def test_any_parameters_are_answered(asking: Program, endpoint: Any) -> None:
    """Known names with any values, and sometimes a name nobody knows."""
    names = [*endpoint.query.__struct_fields__, "unknown"]

    @MANY
    @given(st.dictionaries(st.sampled_from(names), TEXTS, max_size=3), TEXTS.filter(bool))
    def answered(parameters: dict[str, str], name: str) -> None:
        path = f"/api/v1{endpoint.path}".replace("{name}", quote(name, safe=""))
        answer = asking.get(f"{path}?{urlencode(parameters)}")
        if "/" in name and "{name}" in endpoint.path:
            assert answer.status in {200, 404}  # then it is another address
        else:
            check(endpoint, answer)

    answered()


@pytest.mark.parametrize("endpoint", ANSWERS, ids=lambda one: str(one.name))
def test_any_body_is_answered_and_none_is_a_yes(asking: Program, endpoint: Any) -> None:
    """Only the digest of the call that waits is an answer to it."""
    names = [*endpoint.body.__struct_fields__, "unknown"]
    bodies = st.dictionaries(st.sampled_from(names), VALUES, max_size=4) | VALUES
    path = f"/api/v1{endpoint.path}".replace("{name}", "ap_1")

    @MANY
    @given(bodies)
    def answered(body: Any) -> None:
        check(endpoint, asking.post(path, body))

    answered()
    assert states(asking.asks.home) == ["pending"]


def test_a_method_nobody_uses_is_told_which_are(asking: Program) -> None:
    """By the header that the protocol has for it."""
    answer = asking.asks.ask("TRACE", "/api/v1/work", {"authorization": f"Bearer {asking.key}"})

    assert (answer.status, {*answer.headers["allow"].split(", ")}) == (405, {"GET", "HEAD"})
