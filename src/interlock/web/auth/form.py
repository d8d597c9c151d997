"""What a form sent: small, plain, and with the token of the page it stood on."""

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
    """The fields of a form; of a name sent twice the last."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise HTTPException(415, "this takes a form of the dashboard and nothing else")
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > _MOST_BYTES:
            raise HTTPException(413, f"a form has {_MOST_BYTES // 1024} KB at most; shorten it")
    try:
        fields = parse_qsl(
            data.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(400, "this is no form; go back to the page and try again") from None
    return dict(fields)


def check_csrf(form: Form, session: Session | None) -> None:
    """Refuse a form that did not stand on a page of this login."""
    given = form.get(CSRF, "").encode("utf-8", "replace")
    if session is None or not hmac.compare_digest(given, session.csrf.encode()):
        raise HTTPException(403, "this form is of another login; reload the page and try again")
