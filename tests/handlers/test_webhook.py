"""Webhooks, against a real endpoint on the loopback address."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest
from tests.handlers.endpoint import Endpoint
from tests.handlers.view import EventView, bash_event

from interlock.errors import FailureKind, HookFailedError
from interlock.events.hook import Dialect, Handler
from interlock.events.verdict import NO_OPINION, Verdict, Vote
from interlock.handlers.webhook import WebhookHandler

PATIENCE = 60.0  # far more than any of these calls needs; never waited for


def webhook(url: str, **options: Any) -> WebhookHandler:
    options.setdefault("base_env", {"HOOK_API_KEY": "k", "SECRET": "s"})
    return WebhookHandler(url, **options)


async def verdict_of(handler: WebhookHandler) -> Verdict:
    return await handler.run(EventView(bash_event("git push")), PATIENCE)


async def failure_of(handler: WebhookHandler, seconds: float = PATIENCE) -> HookFailedError:
    with pytest.raises(HookFailedError) as raised:
        await handler.run(EventView(bash_event()), seconds)
    return raised.value


@pytest.mark.req("C27", "C36", "C37")
def test_a_webhook_is_a_handler_that_posts_by_default() -> None:
    """It fits the engine's protocol; its fingerprint holds no value of a variable."""
    handler: Handler = webhook("https://example.com/h", headers={"A": "${HOOK_API_KEY}"})

    assert (handler.kind, handler.judges, handler.instant, handler.patterns) == ("webhook", True, False, ())
    assert handler.fingerprint() == ["POST", "https://example.com/h", [("A", "${HOOK_API_KEY}")]]
    assert "HOOK_API_KEY': 'k'" not in repr(handler)


@pytest.mark.req("C37")
@pytest.mark.parametrize("method", ["GET", "DELETE", "post", ""])
def test_other_methods_are_refused(method: str) -> None:
    """POST and PUT, nothing else."""
    with pytest.raises(ValueError, match="use `POST` or `PUT`"):
        webhook("https://example.com", method=method)


@pytest.mark.req("C36")
@pytest.mark.parametrize(
    "url", ["ftp://h/x", "file:///etc/passwd", "example.com", "http://", "http://h/a b", "http://h/\n"]
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    """Only http and https, with a host, in one piece."""
    with pytest.raises(ValueError, match=r"url|webhook address"):
        webhook(url)


@pytest.mark.req("C36", "C38", "C18", "M8")
@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_the_context_document_is_the_body(endpoint: Endpoint, method: str) -> None:
    """The request carries the document, the headers and who we are; of the environment only the event's."""
    await verdict_of(webhook(endpoint.url, method=method, headers={"X-Team": "blue"}))

    (request,) = endpoint.requests
    assert (request.method, request.path) == (method, "/hook")
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["User-Agent"] == "interlock-hooks"
    assert request.headers["X-Team"] == "blue"
    assert request.headers["Host"] == f"127.0.0.1:{endpoint.port}"
    assert request.document["tool_input"] == {"command": "git push"}
    assert request.document["env"] == {
        "HOOK_EVENT": "PreToolUse",
        "HOOK_SESSION_ID": "s1",
        "HOOK_TOOL_NAME": "Bash",
    }


@pytest.mark.req("C59", "C93")
async def test_header_variables_are_filled_in_and_cannot_add_headers(endpoint: Endpoint) -> None:
    """A secret arrives whole, and a line break in it stays inside its header."""
    env = {"HOOK_API_KEY": "k\r\nX-Evil: 1", "SECRET": "schlüssel"}
    headers = {"Authorization": "Bearer ${HOOK_API_KEY}", "X-Secret": "${SECRET}"}

    await verdict_of(webhook(endpoint.url, headers=headers, pass_env=("SECRET",), base_env=env))

    received = endpoint.requests[0].headers
    assert received["Authorization"] == "Bearer kX-Evil: 1"
    assert received["X-Evil"] is None
    assert received["X-Secret"].encode("latin-1").decode() == "schlüssel"


@pytest.mark.req("C59", "C93")
async def test_a_header_uses_only_released_and_set_variables(endpoint: Endpoint) -> None:
    """Unreleased is a mistake at load, unset is a failure before anything is sent."""
    with pytest.raises(ValueError, match="pass_env"):
        webhook(endpoint.url, headers={"X": "${SECRET}"})

    failure = await failure_of(webhook(endpoint.url, headers={"X": "${HOOK_MISSING}"}))

    assert (failure.kind, failure.message) == (
        FailureKind.TRANSPORT,
        "Webhook error: `${HOOK_MISSING}` is not set",
    )
    assert endpoint.requests == []


@pytest.mark.req("C39")
@pytest.mark.parametrize("status", [200, 201, 299])
async def test_the_body_of_a_success_is_the_answer(endpoint: Endpoint, status: int) -> None:
    """Any 2xx with an answer is that answer."""
    endpoint.status, endpoint.body = status, b'{"Reject": {"reason": "no"}}'

    assert await verdict_of(webhook(endpoint.url)) == Verdict(vote=Vote.DENY, reason="no")


@pytest.mark.req("C39")
@pytest.mark.parametrize("status", [200, 204])
async def test_an_empty_body_is_no_opinion(endpoint: Endpoint, status: int) -> None:
    """Silence says nothing."""
    endpoint.status = status

    assert await verdict_of(webhook(endpoint.url)) == NO_OPINION


@pytest.mark.req("C39")
async def test_a_body_that_is_no_answer_is_garbage_except_in_hooks_toml(endpoint: Endpoint) -> None:
    """A page of HTML is a failure; the document of `hooks.toml` lets it pass, marked."""
    endpoint.body = b"<html>ok</html>"

    assert (await failure_of(webhook(endpoint.url))).kind is FailureKind.GARBAGE
    assert (await failure_of(webhook(endpoint.url, dialect=Dialect.CLAUDE))).kind is FailureKind.GARBAGE
    assert await verdict_of(webhook(endpoint.url, dialect=Dialect.HOOKS_TOML)) == Verdict(ignored=True)


@pytest.mark.req("C39", "D06")
async def test_a_body_longer_than_the_cap_is_garbage(endpoint: Endpoint) -> None:
    """Reading stops at the cap."""
    endpoint.body = b" " * 5_000_000 + b"{}"

    failure = await failure_of(webhook(endpoint.url))

    assert failure.kind is FailureKind.GARBAGE
    assert "more than 1 MiB" in failure.message


@pytest.mark.req("C39")
async def test_a_packed_body_is_not_unpacked(endpoint: Endpoint) -> None:
    """We ask for plain bytes, and what comes packed anyway is garbage, not a bomb."""
    endpoint.headers, endpoint.body = {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08\x00packed"

    assert (await failure_of(webhook(endpoint.url))).kind is FailureKind.GARBAGE
    assert endpoint.requests[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.req("C40")
@pytest.mark.parametrize(
    ("status", "words"), [(500, "500 Internal Server Error"), (404, "404 Not Found"), (599, "599")]
)
async def test_a_status_outside_success_carries_the_documents_words(
    endpoint: Endpoint, status: int, words: str
) -> None:
    """The message is `Webhook failed:` and the status, whatever the body says."""
    endpoint.status, endpoint.body = status, b'{"decision": "allow"}'

    failure = await failure_of(webhook(endpoint.url))

    assert (failure.kind, failure.message) == (FailureKind.STATUS, f"Webhook failed: {words}")


@pytest.mark.req("C40", "C94")
async def test_redirects_are_not_followed(endpoint: Endpoint) -> None:
    """An endpoint cannot send us somewhere else."""
    endpoint.status, endpoint.headers = 307, {"Location": endpoint.url + "/other"}

    failure = await failure_of(webhook(endpoint.url))

    assert failure.message == "Webhook failed: 307 Temporary Redirect"
    assert len(endpoint.requests) == 1


@pytest.mark.req("C41")
async def test_an_endpoint_that_is_not_there_is_a_webhook_error() -> None:
    """A refused connection has the documents' words."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and never listening: nobody else can answer here
        failure = await failure_of(webhook(f"http://127.0.0.1:{closed.getsockname()[1]}/"))

    assert failure.kind is FailureKind.TRANSPORT
    assert failure.message.startswith("Webhook error: ")
    assert failure.message != "Webhook error: "


@pytest.mark.req("C41")
@pytest.mark.parametrize(
    "url", ["http://no-such-host.invalid/", f"http://{'a' * 300}.invalid/", "http://h:99999/"]
)
async def test_an_address_that_cannot_be_found_is_a_webhook_error(url: str) -> None:
    """A name nobody knows is a transport error, not a crash."""
    assert (await failure_of(webhook(url))).kind is FailureKind.TRANSPORT


@pytest.mark.req("C49", "C72", "D04")
async def test_an_endpoint_that_hangs_is_a_timeout(endpoint: Endpoint) -> None:
    """The budget ends the call, and the failure says how long it had."""
    endpoint.held = threading.Event()

    failure = await failure_of(webhook(endpoint.url), seconds=0.2)

    assert (failure.kind, failure.message) == (FailureKind.TIMEOUT, "no answer within 0.2 s")


@pytest.mark.req("C69")
async def test_a_chat_endpoint_may_be_told_of_a_session(endpoint: Endpoint) -> None:
    """An endpoint that answers with text of its own is fine for a `hooks.toml` notification."""
    endpoint.body = b"ok"

    verdict = await verdict_of(webhook(endpoint.url, dialect=Dialect.HOOKS_TOML))

    assert verdict.vote is Vote.ABSTAIN
    assert len(endpoint.requests) == 1
