"""The templates: they escape every value and write out its invisible characters."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from interlock.events.text import visible
from interlock.feature import features
from interlock.files.own_files import bundled_file

_SECOND: Final = 1_000.0
_WHOLE: Final = 100.0  # from here on without a fraction


class VisibleText(str):
    """A text whose invisible characters are written out already; templates still escape it."""

    __slots__ = ()


def make_visible(text: str) -> VisibleText:
    """A text with its invisible characters written out."""
    return VisibleText(visible(text))


@cache
def templates() -> Environment:
    """The templates of the dashboard and of all features."""
    folders = [one.folder / "templates" for one in features() if one.pages]
    environment = Environment(
        loader=FileSystemLoader([bundled_file("web/templates"), *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_make_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(path=path, ticked=ticked, millis=millis, thousands="{:,}".format, when=when)
    return environment


def path(text: str) -> Markup:
    """A path that may break after each slash."""
    return Markup("/<wbr>").join(escape(_make_visible(part)) for part in text.split("/"))


def when(timestamp: str) -> Markup:
    """A time in UTC to the second."""
    text = visible(timestamp)
    return Markup('<time datetime="{}">{} {}</time>').format(text, text[:10], text[11:19])


def ticked(text: str) -> Markup:
    """A sentence with the parts in backticks as code."""
    pieces = str(_make_visible(text)).split("`")
    if not len(pieces) % 2:  # an unpaired backtick: leave all as they are
        return escape("`".join(pieces))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece)
        for place, piece in enumerate(pieces)
    )


def _make_visible(value: Any) -> Any:
    """A value with its invisible characters written out; markup is our own and stays."""
    if isinstance(value, str) and not isinstance(value, VisibleText) and not hasattr(value, "__html__"):
        return visible(value)
    return "" if value is None else value


def millis(value: float | None) -> str:
    """A duration as people read it: `2.4 ms`, `120 ms` or `1.5 s`."""
    if value is None:
        return "-"
    if value >= _SECOND:
        return f"{value / _SECOND:.3g} s"
    return f"{value:.2g} ms" if value < _WHOLE else f"{value:.0f} ms"
