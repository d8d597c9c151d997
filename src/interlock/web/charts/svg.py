"""Elements of SVG and of the figure around it; whatever is put into them is escaped."""

from __future__ import annotations

from markupsafe import Markup, escape

from interlock.events.visible_text import visible


def element(name: str, *inside: Markup | str, **attributes: str | float) -> Markup:
    """One element; `class_` and `view_box` stand for the names Python or its style does not take."""
    written = Markup("").join(
        Markup(' {}="{}"').format(_NAMES.get(key, key.replace("_", "-")), _value(value))
        for key, value in attributes.items()
    )
    return Markup("<{}{}>{}</{}>").format(name, written, Markup("").join(map(_text, inside)), name)


_NAMES = {
    "class_": "class",
    "view_box": "viewBox",
    "preserve": "preserveAspectRatio",
}


def _value(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, int | float) else visible(value)


def _text(inside: Markup | str) -> Markup:
    return inside if isinstance(inside, Markup) else escape(visible(inside))


def drawing(
    name: str, title: str, told: str, shapes: list[Markup], *, width: int, height: int, class_: str = "plot"
) -> Markup:
    """A picture that stretches to its place, with a title and a description for whoever does not see it."""
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", told, id=f"{name}-desc"),
        *shapes,
        class_=class_,
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        view_box=f"0 0 {width} {height}",
        preserve="none",
    )
