"""The templates: every value is escaped, and its invisible characters are written out."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from interlock.events.visible_text import visible
from interlock.feature import features
from interlock.files.own_files import bundled_file

_SECOND: Final = 1_000.0
_WHOLE: Final = 100.0  # from here on a fraction of a millisecond says nothing


class Seen(str):
    """A text whose every character is visible already; templates escape it like any other."""

    __slots__ = ()


def seen(text: str) -> Seen:
    """A text with its invisible characters written out."""
    return Seen(visible(text))


@cache
def templates() -> Environment:
    """The dashboard's templates."""
    environment = Environment(
        loader=FileSystemLoader([bundled_file("web/templates"), *_of_features()]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_make_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(path=path, ticked=ticked, millis=millis)
    return environment


def _of_features() -> list[Path]:
    return [one.folder / "templates" for one in features() if one.pages]


def path(text: str) -> Markup:
    """A path that breaks after a slash when the line is too short for it."""
    return Markup("/<wbr>").join(escape(_make_visible(part)) for part in text.split("/"))


def ticked(text: str) -> Markup:
    """A sentence with the parts in backticks set as code."""
    pieces = text.split("`")
    if not len(pieces) % 2:  # an odd backtick: take none of them for a mark
        return escape(_make_visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(_make_visible(piece)) if place % 2 else escape(_make_visible(piece))
        for place, piece in enumerate(pieces)
    )


def _make_visible(value: Any) -> Any:
    """A value with its invisible characters written out; markup comes from our own templates."""
    if isinstance(value, str) and not isinstance(value, Seen) and not hasattr(value, "__html__"):
        return visible(value)
    return "" if value is None else value


def millis(value: float | None) -> str:
    """A duration as people read it: `2.4 ms`, `120 ms` or `1.5 s`."""
    if value is None:
        return "-"
    if value >= _SECOND:
        return f"{value / _SECOND:.3g} s"
    return f"{value:.2g} ms" if value < _WHOLE else f"{value:.0f} ms"
