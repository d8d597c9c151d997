"""What a request sends: a small body of one type, and the token of the page its form is on."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from interlock.web.auth.credentials import Session

CSRF: Final = "csrf"  # the field
_TYPE: Final = "application/x-www-form-urlencoded"
_MOST_BYTES: Final = 64 * 1024
_MOST_FIELDS: Final = 100

Form = Mapping[str, str]


async def read_form(request: Request) -> Form:
    """The fields of a form; if a name is sent twice, its last value."""
    data = await read_body(request, _TYPE)
    try:
        fields = parse_qsl(
            data.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(
            400, "this form could not be read; go back to the page and send it again"
        ) from None
    return dict(fields)


async def read_body(request: Request, kind: str) -> bytes:
    """The body of a request, if it has the expected type and is small."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise HTTPException(415, f"the body must be `{kind}`")
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > _MOST_BYTES:
            raise HTTPException(413, f"the body is larger than {_MOST_BYTES // 1024} KB; shorten it")
    return data


def check_csrf(form: Form, session: Session | None) -> None:
    """Refuse a form that does not come from a page of this login."""
    given = form.get(CSRF, "").encode("utf-8", "replace")
    if session is None or not hmac.compare_digest(given, session.csrf.encode()):
        raise HTTPException(403, "this form belongs to another login; reload the page and try again")
