"""Laws of code that is known but for the numbers in it."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import kinds


@pytest.mark.req("C05")
@pytest.mark.parametrize(
    ("text", "known"),
    [
        ('sed -n "$((n - 5)),$((n + 5))p" f', True),
        ('sed "s/x/$(( ${n} + 1 ))/" f', True),
        ('timeout 5 sed -n "${#a}p" f', True),
        ('awk "NR==$((n + 1))" f', True),
        ('sed -n "$((n)),${m}p" f', False),
        ('sed -n "$((n))e ls" f', False),
        ('sed "$((1))p;\\$((w f))" f', False),
        ('sed "s/x/$((1))/w out" f', False),
        ('sed $x "$((n))p" f', False),
        ('awk "NR==$((n)) {system($((n)))}" f', False),
        ('perl -ne "print if $((n))" f', False),
    ],
)
def test_code_may_be_known_but_for_its_numbers(text: str, known: bool) -> None:
    """If it runs, reads and writes nothing whatever they are."""
    assert (not kinds(text)) == known
