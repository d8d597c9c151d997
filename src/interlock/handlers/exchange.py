"""One HTTP request to an address that was checked, and the bytes that come back."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from interlock.errors import FailureKind, HookFailedError

if TYPE_CHECKING:
    import ssl

    import httpx

BODY_CAP: Final = 1024 * 1024


async def exchange(
    method: str, url: httpx.URL, address: str, *, headers: httpx.Headers, body: bytes, seconds: float
) -> bytes:
    """Send a request and give the body of its success; raise HookFailedError for any other answer."""
    import httpx  # noqa: PLC0415 - heavy, and many policies have no webhook

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
            return await _body(await client.send(request, stream=True, follow_redirects=False))
    finally:
        # The client forgets a connection that is cancelled while encryption is being agreed.
        for stream in opened:
            await stream.aclose()


async def _body(response: httpx.Response) -> bytes:
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
    # The phrase is ours, not the server's: it ends up in front of people and models.
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


@cache
def _certificates() -> ssl.SSLContext:
    import httpx  # noqa: PLC0415 - see exchange

    return httpx.create_ssl_context(trust_env=False)
