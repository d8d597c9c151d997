"""The short way of sorting a usual command."""

from __future__ import annotations

import pytest

from interlock.effects.programs import arguments
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.lookup import every_name, program_named
from interlock.effects.programs.usual import sort_usual
from interlock.effects.word import Word

_OTHERS = ("a", "-", "", "+x", "--", "-zz", "--unknown", "a=b", "-5", "$v", "$v-o", "-n$v")


def _lines() -> list[tuple[Word, ...]]:
    """Every program with each of its options in front of, between and behind other words."""
    lines: list[tuple[Word, ...]] = []
    for name in every_name():
        program = program_named(name)
        options = tuple(program.options) if program else ()
        for at, option in enumerate((*options, *_OTHERS)):
            other = _OTHERS[at % len(_OTHERS)]
            attached = f"{option}=v" if option.startswith("--") else f"{option}v"
            for given in (option, attached, f"{option}$v"):
                texts = [*name.split(), "b", given, other, "c", given]
                lines.append(tuple(Word(text, "$" not in text) for text in texts))
    return lines


def test_the_short_way_sorts_as_the_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it answers at all, its answer is that of the closer look."""
    lines = _lines()
    short = [sort_arguments(words) for words in lines]
    taken = sum(
        sort_usual(words, program) is not None for words in lines if (program := program_named(words[0].text))
    )
    monkeypatch.setattr(arguments, "sort_usual", lambda _words, _program: None)
    assert [sort_arguments(words) for words in lines] == short
    assert taken > len(lines) // 10
