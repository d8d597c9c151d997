"""One figure beside its bar, the same way in every benchmark."""

from __future__ import annotations

import time


def row(what: str, value: float, bar: float, unit: str, *, at_least: bool = False) -> bool:
    """Print a figure beside its bar and say whether it holds; a bar is a ceiling unless it is `at_least`."""
    held = value >= bar if at_least else value <= bar
    places = 2 if unit == "x" else 1  # a ratio near its bar is not to be rounded onto it
    sign = ">=" if at_least else "<="
    word = "held" if held else "MISSED"
    print(f"{what:<58} {value:>11,.{places}f} {unit:<6} bar {sign} {bar:>9,.{places}f}  {word}")
    return held


def note(what: str, value: float, unit: str) -> None:
    """Print a figure that has no bar."""
    print(f"{what:<58} {value:>11,.1f} {unit}")


def pace() -> float:
    """Milliseconds for a million additions: how fast this interpreter runs on this machine just now."""
    start, total = time.perf_counter(), 0
    for number in range(1_000_000):
        total += number
    return (time.perf_counter() - start) * 1e3
