"""What holds for the words of any command at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Arguments, Role
from interlock.effects.programs.tables import every_table

PROGRAMS = sorted({name for table in every_table() for key in table for name in key.split(" ")[0].split(",")})
TEXTS = st.one_of(
    st.sampled_from(
        [
            "-x",
            "-rf",
            "--force",
            "--output=f",
            "--out",
            "-o",
            "-c",
            "-e",
            "-i",
            "-n9",
            "--",
            "-",
            "+",
            "+x",
            ";",
            "{}",
            ":::",
            "A=b",
            "if=x",
            "of=y",
            "!",
            "(",
            ")",
            ",",
            "-exec",
            "push",
            "run",
            "exec",
            "compose",
            "stash",
            "drop",
            "s3",
            "rm",
            "-C",
            "-S",
            "-u",
            "@f",
            "-9",
            "--f",
            "--recursive",
            "$x",
            "'x'",
            "-$x",
            "--a=$x",
            "x",
            "/a/b",
        ]
    ),
    st.text(alphabet="-+=abcoxe;{}$ \\'\"/é\n", max_size=6),
)
WORDS = st.builds(Word, TEXTS, st.booleans(), st.booleans())


def places(found: Arguments, words: list[Word]) -> list[int]:
    """How often each word after the program was put somewhere."""
    values = [flag.value for flag in found.flags]
    given = [word for command in found.commands for word in command]
    own = {flag.index for flag in found.flags} | {operand.index for operand in found.operands}
    return [
        (at in own) + sum(word is value for value in values) + sum(word is one for one in given)
        for at, word in enumerate(words)
        if at
    ]


def is_part_of_value(found: Arguments, word: Word, at: int) -> bool:
    """A value of which only a part counts (`-o ProxyCommand=x`) is another word."""
    return any(
        flag.value is not None and flag.value.text in word.text
        for flag in found.flags
        if flag.index == at - 1
    )


@pytest.mark.req("C08", "X12")
@given(st.sampled_from(PROGRAMS), st.lists(WORDS, max_size=8))
def test_every_word_lands_exactly_once(program: str, rest: list[Word]) -> None:
    """Whatever is given, no word is lost and none counts twice."""
    words = [Word(program.partition("=")[0]), *(Word(word.text, word.fixed, word.splits) for word in rest)]
    found = sort_arguments(words)
    times = places(found, words)
    assert max(times, default=0) <= 1
    lost = [at + 1 for at, count in enumerate(times) if not count]
    ends = {at for at in lost if words[at].text in (";", "+", "--")}  # what a wrapper takes away
    parts = {at for at in lost if is_part_of_value(found, words[at], at)}
    assert len(set(lost) - ends - parts) <= len(found.name.split(" ")) - 1


@given(st.text(max_size=8), st.lists(WORDS, max_size=6))
def test_any_words_can_be_sorted(program: str, rest: list[Word]) -> None:
    """Unknown and impossible programs are sorted by the common habits, without values."""
    found = sort_arguments([Word(program), *rest])
    if found.program is None:
        assert found.commands == ()
        assert {operand.role for operand in found.operands} <= {Role.TEXT}
