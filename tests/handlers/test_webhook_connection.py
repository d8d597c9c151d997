"""Whom a webhook calls: the address that was checked, under the name that was written."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.handlers.endpoint import Endpoint
from tests.handlers.view import EventView, bash_event

from interlock.errors import FailureKind, HookFailedError
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.handlers.webhook import WebhookHandler

PATIENCE = 60.0  # far more than any of these calls needs; never waited for


def webhook(url: str, **options: Any) -> WebhookHandler:
    return WebhookHandler(url, base_env={}, **options)


async def verdict_of(handler: WebhookHandler) -> Verdict:
    return await handler.run(EventView(bash_event()), PATIENCE)


async def failure_of(handler: WebhookHandler) -> HookFailedError:
    with pytest.raises(HookFailedError) as raised:
        await verdict_of(handler)
    return raised.value


@asynccontextmanager
async def cancelled_call(url: str) -> AsyncIterator[bytes]:
    """Call a bare socket and cancel; give the first bytes it received once it saw us hang up."""
    received: list[bytes] = []
    arrived, hung_up = asyncio.Event(), asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.read(65536))
        arrived.set()
        await reader.read()  # ends only when the other side has closed
        writer.close()
        await writer.wait_closed()
        hung_up.set()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    call = asyncio.ensure_future(verdict_of(webhook(url.format(port=server.sockets[0].getsockname()[1]))))
    async with server, asyncio.timeout(PATIENCE):
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await hung_up.wait()
        yield received[0]


@pytest.mark.req("C94")
@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "169.254.169.254",
        "192.168.0.1",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "[::ffff:10.0.0.1]",
        "[::ffff:a9fe:a9fe]",
        "[fd00::1]",
        "[::]",
        "0x0a000001",
        "167772161",
    ],
)
async def test_private_addresses_are_refused_before_any_connection(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is written, an address inside a network is not even dialled."""
    dialled: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *address: dialled.append(address))

    failure = await failure_of(webhook(f"http://{host}/latest/meta-data"))

    assert failure.kind is FailureKind.TRANSPORT
    assert "private address" in failure.message
    assert "allow_private" in failure.message
    assert dialled == []


@pytest.mark.req("C94")
async def test_private_addresses_are_called_when_the_policy_says_so(endpoint: Endpoint) -> None:
    """`allow_private` opens what is closed by default: here the unspecified address, which reaches us."""
    closed, opened = (
        webhook(f"http://0.0.0.0:{endpoint.port}/hook", allow_private=private) for private in (False, True)
    )

    assert (await failure_of(closed)).kind is FailureKind.TRANSPORT
    assert await verdict_of(opened) == NO_OPINION
    assert len(endpoint.requests) == 1


@pytest.mark.req("C94")
async def test_the_checked_address_is_the_one_that_is_called(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that would resolve differently the second time is resolved only once, and stays in `Host`."""
    answers = iter(["127.0.0.1", "10.0.0.1"])
    asked: list[str] = []

    def changing(host: str, port: int, *rest: Any, **more: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    loop = asyncio.get_running_loop()

    async def resolve(host: str, port: int, **more: Any) -> list[Any]:
        return changing(host, port) if host == "rebind.test" else socket.getaddrinfo(host, port, **more)

    monkeypatch.setattr(loop, "getaddrinfo", resolve)

    assert await verdict_of(webhook(f"http://rebind.test:{endpoint.port}/hook")) == NO_OPINION
    assert asked == ["rebind.test"]
    assert endpoint.requests[0].headers["Host"] == f"rebind.test:{endpoint.port}"


@pytest.mark.req("C94")
async def test_one_private_address_among_public_ones_is_enough_to_refuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name may not hide an inside address behind an outside one."""

    async def both(host: str, port: int, **more: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("127.0.0.1", "10.0.0.1")]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", both)

    assert "10.0.0.1" in (await failure_of(webhook("http://both.test/"))).message


@pytest.mark.req("C41")
async def test_the_next_address_of_a_name_is_tried(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name whose first address does not answer is reached at its second."""
    loop = asyncio.get_running_loop()

    async def two(host: str, port: int, **more: Any) -> list[Any]:
        hosts = ("127.0.0.2", "127.0.0.1") if host == "two.test" else (host,)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in hosts]

    monkeypatch.setattr(loop, "getaddrinfo", two)

    assert await verdict_of(webhook(f"http://two.test:{endpoint.port}/hook")) == NO_OPINION


@pytest.mark.req("C38")
async def test_proxies_of_the_environment_are_ignored(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable cannot route the event document past the address check."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert await verdict_of(webhook(endpoint.url)) == NO_OPINION


@pytest.mark.req("C94")
async def test_encryption_is_agreed_with_the_name_not_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is dialled, but it is the name whose certificate is asked for."""
    loop = asyncio.get_running_loop()

    async def here(host: str, port: int, **more: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(loop, "getaddrinfo", here)

    async with cancelled_call("https://named.test:{port}/hook") as hello:
        assert b"named.test" in hello


@pytest.mark.req("D04")
async def test_a_cancelled_call_hangs_up() -> None:
    """Whoever gives up on the answer leaves no connection open."""
    async with cancelled_call("http://127.0.0.1:{port}/hook") as request:
        assert request.startswith(b"POST /hook HTTP/1.1")


@pytest.mark.req("C41")
async def test_a_name_without_an_address_is_a_webhook_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody to call is a failure, not a pass."""

    async def nothing(host: str, port: int, **more: Any) -> list[Any]:
        return []

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nothing)

    failure = await failure_of(webhook("http://empty.test/"))

    assert failure.message == "Webhook error: `empty.test` has no address"
