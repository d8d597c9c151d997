"""TOML is read with lines."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.errors import ConfigError, Problem
from interlock.policy.files.document import Node
from interlock.policy.files.toml import read_toml

SAMPLES = Path(__file__).parents[2] / "samples"


def lines(node: Node, path: str = "") -> dict[str, int]:
    found = {path: node.line}
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            found |= lines(child, f"{path}.{key}" if path else key)
    elif isinstance(node.value, list):
        for index, child in enumerate(node.value):
            found |= lines(child, f"{path}[{index}]")
    return found


def refused(text: str) -> Problem:
    with pytest.raises(ConfigError) as caught:
        read_toml(text, "hooks.toml")
    (problem,) = caught.value.problems
    return problem


@pytest.mark.req("C55", "C57")
def test_tables_of_an_array_keep_their_lines() -> None:
    """Each `[[hooks]]` entry, its sub-table and its keys are found, across multi-line strings."""
    text = (SAMPLES / "cocode-validate-bash.toml").read_text() + (SAMPLES / "cocode-hooks.toml").read_text()
    found = lines(read_toml(text, "hooks.toml"))

    assert found["hooks[0].shell.command"] == 7
    assert found["hooks[0].shell.parse_result"] == 20
    assert found["hooks[1]"] == 23
    assert found["hooks[2].webhook.headers.Authorization"] == 40
    assert found["hooks[3].shell"] == 46


def test_every_way_to_write_a_key_is_followed() -> None:
    """Dotted and quoted keys, inline tables, arrays over lines, comments and nested arrays of tables."""
    text = """\
a.b."c d" = [1, # one ]
  2, {x = 1, 'y' = [3,
  4]}, "]",
]
d = 2024-01-01 10:00:00
[t."q"]
z = \"\"\"a
"b"" \\\"\"\" \"\"\"
y = '''x
'''
[[t.r]]
[t.r.s]
k = 1
[[t.r]]
k = 3
"""
    assert lines(read_toml(text, "f")) == {
        "": 1,
        "a": 1,
        "a.b": 1,
        "a.b.c d": 1,
        "a.b.c d[0]": 1,
        "a.b.c d[1]": 2,
        "a.b.c d[2]": 2,
        "a.b.c d[2].x": 2,
        "a.b.c d[2].y": 2,
        "a.b.c d[2].y[0]": 2,
        "a.b.c d[2].y[1]": 3,
        "a.b.c d[3]": 3,
        "d": 5,
        "t": 6,
        "t.q": 6,
        "t.q.z": 7,
        "t.q.y": 9,
        "t.r": 11,
        "t.r[0]": 11,
        "t.r[0].s": 12,
        "t.r[0].s.k": 13,
        "t.r[1]": 14,
        "t.r[1].k": 15,
    }


@pytest.mark.req("C62")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\nb = ", 2, "invalid TOML"),
        ("a = 1\na = 2", 2, "Cannot overwrite a value"),
        ("[[hooks]\n", 1, "invalid TOML"),
        ("a = [1,\n", 1, "invalid TOML"),
        ("a = 1\nb = nan", 2, "`nan` is not a finite number"),
        ("x = 1\na = " + "[" * 5000, 2, "nested deeper than 64 levels"),
        (".".join("a" * 5000) + " = 1", 1, "nested deeper than 64 levels"),
        ("a = " + "[{a = " * 40, 1, "nested deeper than 64 levels"),
    ],
)
def test_broken_text_names_its_line(text: str, line: int, words: str) -> None:
    """Syntax errors and excessive depth are problems with a place."""
    problem = refused(text)

    assert problem.line == line
    assert words in problem.message


@given(st.text(alphabet="ab.=[]{}\"'\\#,\n 1", max_size=40))
def test_any_text_is_read_as_the_standard_parser_reads_it(text: str) -> None:
    """The scanner adds lines; it never changes a value, hangs or raises anything else."""
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        refused(text)
    else:
        assert read_toml(text, "f").plain() == expected


@pytest.mark.req("C82")
def test_an_empty_file_is_an_empty_table() -> None:
    """Nothing written is nothing said, and no mistake."""
    assert read_toml("", "f").plain() == {}
