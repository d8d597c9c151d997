"""Templates: everything they are given is escaped, and no character in it is invisible."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from interlock.approvals.visible import visible
from interlock.shipped import shipped
from interlock.web.seen import Seen


@cache
def templates() -> Environment:
    """The dashboard's templates."""
    return Environment(
        loader=FileSystemLoader(shipped("web/templates")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


def _seen(value: Any) -> Any:
    """A text as an approver sees it; what is markup already is ours."""
    if isinstance(value, str) and not isinstance(value, Seen) and not hasattr(value, "__html__"):
        return visible(value)
    return "" if value is None else value
