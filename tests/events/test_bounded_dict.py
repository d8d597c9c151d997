"""A dictionary that forgets what was set longest ago."""

from __future__ import annotations

from interlock.events.bounded_dict import BoundedDict


def test_it_never_holds_more_than_the_limit() -> None:
    """What is set again is new again, and `setdefault` sets too."""
    known: BoundedDict[str, int] = BoundedDict(2)
    known["a"], known["b"] = 1, 2
    known["a"] = 3
    assert known.setdefault("c", 4) == 4
    assert known.setdefault("a", 5) == 3

    assert dict(known) == {"a": 3, "c": 4}
