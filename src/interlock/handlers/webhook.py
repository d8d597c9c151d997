"""A hook that is an HTTP endpoint."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal
from urllib.parse import urlsplit

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import CallView, Dialect, Pattern
from interlock.events.verdict import Verdict
from interlock.handlers.answers import parse_output
from interlock.handlers.environment import (
    UnsetVariableError,
    check_headers,
    check_pass_env,
    context_document,
    encode_context,
    expand_headers,
    hook_variables,
)

if TYPE_CHECKING:
    import ssl

    import httpx


_NAT64: Final = IPv6Network("64:ff9b::/96")


def may_call(address: str) -> bool:
    """Whether an address is public or loopback; of an address inside another, the inner one counts."""
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return _open(ip)
    inner = _inner_ipv4(ip)
    return _open(inner) if inner is not None else _open(ip) and not ip.is_site_local


def _open(ip: IPv4Address | IPv6Address) -> bool:
    if ip.is_loopback:
        return True
    # `is_global` alone lets multicast and some reserved ranges through.
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_link_local or ip.is_unspecified)


def _inner_ipv4(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address inside a mapped, 6to4 or NAT64 one: where the packet would really go."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


BODY_CAP: Final = 1024 * 1024


async def exchange(
    method: str, url: httpx.URL, address: str, *, headers: httpx.Headers, body: bytes, seconds: float
) -> bytes:
    """Send a request and give the body of its success; raise HookFailedError for any other answer."""
    import httpx

    opened: list[Any] = []

    async def note(name: str, info: dict[str, Any]) -> None:
        if name == "connection.connect_tcp.complete":
            opened.append(info["return_value"])

    try:
        async with httpx.AsyncClient(verify=_certificates(), trust_env=False, timeout=seconds) as client:
            request = client.build_request(
                method,
                # Connect to the address that was checked: a name could resolve differently the next time.
                url.copy_with(host=address),
                headers=headers,
                content=body,
                extensions={"sni_hostname": url.host, "trace": note},
            )
            return await _read_body(await client.send(request, stream=True, follow_redirects=False))
    finally:
        # The client forgets a connection that is cancelled while encryption is being agreed.
        for stream in opened:
            await stream.aclose()


async def _read_body(response: httpx.Response) -> bytes:
    try:
        if not response.is_success:
            raise HookFailedError(FailureKind.STATUS, f"Webhook failed: {_status(response.status_code)}")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > BODY_CAP:
                raise HookFailedError(
                    FailureKind.GARBAGE,
                    f"the webhook answered more than {BODY_CAP >> 20} MiB, expected one short answer",
                )
        return bytes(body)
    finally:
        await response.aclose()


def _status(code: int) -> str:
    import httpx

    # The phrase is ours, not the server's: it ends up in front of people and models.
    return f"{code} {httpx.codes.get_reason_phrase(code)}".rstrip()


@cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context(trust_env=False)


METHODS: Final = ("POST", "PUT")


@dataclass(frozen=True)
class WebhookHandler:
    """Sends the event document to an address and reads the answer in the response."""

    url: str
    _: KW_ONLY
    method: Literal["POST", "PUT"] = "POST"
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    allow_private: bool = False  # also call addresses inside private networks
    dialect: Dialect = Dialect.GENESIS
    pass_env: tuple[str, ...] = ()  # variables the headers may use
    base_env: Mapping[str, str] = field(repr=False, hash=False)

    kind: ClassVar[str] = "webhook"
    judges: ClassVar[bool] = True
    instant: ClassVar[bool] = False
    patterns: ClassVar[Sequence[Pattern]] = ()

    def __post_init__(self) -> None:
        _check_url(self.url)
        if self.method not in METHODS:
            raise ValueError(f"`{self.method}` is not a webhook method; use `POST` or `PUT`")
        check_pass_env(self.pass_env)
        check_headers(self.headers, self.pass_env)

    def fingerprint(self) -> Any:
        """Where it calls and how; variables stand by name, never by value."""
        return [self.method, self.url, sorted(self.headers.items())]

    async def run(self, view: CallView, seconds: float) -> Verdict:
        """Call the endpoint and read its answer."""
        import httpx

        try:
            async with asyncio.timeout(seconds):
                body = await self._request(view.event, seconds)
        except (TimeoutError, httpx.TimeoutException):
            raise HookFailedError(FailureKind.TIMEOUT, f"no answer within {seconds:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError, UnsetVariableError) as error:
            raise _unreachable(str(error) or type(error).__name__) from error
        # A body of plain text is never context for the model: whoever answers over HTTP answers in JSON.
        dialect = self.dialect if self.dialect is Dialect.HOOKS_TOML else Dialect.GENESIS
        return parse_output(body, view.event, dialect)

    async def _request(self, event: Event, seconds: float) -> bytes:
        import httpx

        url = httpx.URL(self.url)
        headers = self._request_headers(event, url)
        body = encode_context(context_document(event, hook_variables(event)))
        addresses = await self._addresses(url)
        for address in addresses:
            try:
                return await exchange(self.method, url, address, headers=headers, body=body, seconds=seconds)
            except httpx.ConnectError:
                if address == addresses[-1]:
                    raise
        raise _unreachable(f"`{url.host}` has no address")

    def _request_headers(self, event: Event, url: httpx.URL) -> httpx.Headers:
        import httpx

        headers = httpx.Headers(
            {
                "Content-Type": "application/json",
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # a small compressed body can unpack to any size
                "User-Agent": "interlock-hooks",
            }
        )
        for name, value in expand_headers(self.headers, {**self.base_env, **hook_variables(event)}).items():
            headers[name] = value
        headers["Host"] = url.netloc.decode("ascii")
        return headers

    async def _addresses(self, url: httpx.URL) -> list[str]:
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        found = await asyncio.get_running_loop().getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
        for address in addresses:
            if not (self.allow_private or may_call(address)):
                raise _unreachable(
                    f"`{url.host}` is the private address {address}; set `allow_private` to call it anyway"
                )
        return addresses


def _unreachable(why: str) -> HookFailedError:
    return HookFailedError(FailureKind.TRANSPORT, f"Webhook error: {why}")


def _check_url(url: str) -> None:
    if not url.isprintable() or " " in url:
        raise ValueError("the webhook's `url` contains a space or control character; remove it")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"`{url}` is not a webhook address; write `https://host/path`")
