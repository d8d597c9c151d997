"""Templates: everything they are given is escaped, and no character in it is invisible."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from interlock.events.visible_text import visible
from interlock.feature import features
from interlock.files.bundled import bundled_file


class Seen(str):
    """A text a template shows as it is, escaped like any other; a part of one is an ordinary text again."""

    __slots__ = ()


def seen(text: str) -> Seen:
    """A text with what could not be seen written out."""
    return Seen(visible(text))


@cache
def templates() -> Environment:
    """The dashboard's templates."""
    environment = Environment(
        loader=FileSystemLoader([bundled_file("web/templates"), *_of_features()]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["path"] = path
    environment.filters["ticked"] = ticked
    return environment


def _of_features() -> list[Path]:
    return [one.folder / "templates" for one in features() if one.pages]


def path(text: str) -> Markup:
    """A path that is broken after a slash, and not within a name, where the line is too short for it."""
    return Markup("/<wbr>").join(escape(_seen(part)) for part in text.split("/"))


def ticked(text: str) -> Markup:
    """A sentence with what stands in backticks set as code."""
    pieces = text.split("`")
    if not len(pieces) % 2:  # one is open: then none is what it seems
        return escape(_seen(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(_seen(piece)) if place % 2 else escape(_seen(piece))
        for place, piece in enumerate(pieces)
    )


def _seen(value: Any) -> Any:
    """A text as an approver sees it; what is markup already is ours."""
    if isinstance(value, str) and not isinstance(value, Seen) and not hasattr(value, "__html__"):
        return visible(value)
    return "" if value is None else value


_SECOND: Final = 1_000.0
_WHOLE: Final = 100.0  # from here on a fraction of a millisecond tells nobody anything


def millis(value: float | None) -> str:
    """Milliseconds with two figures, whole ones when there are many, or seconds."""
    if value is None:
        return "-"
    if value >= _SECOND:
        return f"{value / _SECOND:.3g} s"
    return f"{value:.2g} ms" if value < _WHOLE else f"{value:.0f} ms"
