"""What a session leaves behind is kept only when the next one can use it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.files import (
    LONGEST_PAYLOAD,
    MOST_FILES,
    as_document,
    parse_payload,
    read_payload,
)
from interlock.features.work.records import Code, RefusedError

WHOLE: dict[str, Any] = {
    "summary": "Half of the parser is done.",
    "lastAction": "Wrote the lexer.",
    "nextSteps": ["Write the parser.", "Test it."],
    "requiredFiles": ["src/lexer.py"],
    "handoverInstructions": "Do not touch main.py.",
    "userHistory": "Make it fast!",
}
REQUIRED = ("summary", "lastAction", "nextSteps", "requiredFiles")

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*WHOLE, "x"]), inner, max_size=6)
    ),
    max_leaves=12,
)


def refusal(value: Any) -> str:
    with pytest.raises(RefusedError) as caught:
        read_payload(value)
    assert caught.value.code is Code.BAD_PAYLOAD
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.req("E64")
def test_a_whole_payload_is_kept_as_it_was_written() -> None:
    """Four members are required, two may be left out."""
    assert as_document(parse_payload(json.dumps(WHOLE))) == WHOLE
    short = {name: WHOLE[name] for name in REQUIRED}
    assert as_document(read_payload(short)) == short


def test_names_may_be_written_in_snake_case() -> None:
    """As on the wire of the hooks."""
    snake = {
        "summary": "s",
        "last_action": "a",
        "next_steps": ["n"],
        "required_files": [],
        "user_history": ["first", "second"],
    }
    assert read_payload(snake).user_history == ("first", "second")
    assert "`lastAction` twice" in refusal({**snake, "lastAction": "b"})


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.req("E64")
def test_each_required_member_is_asked_for_by_its_name(name: str) -> None:
    """Missing and null are the same."""
    for payload in ({key: value for key, value in WHOLE.items() if key != name}, {**WHOLE, name: None}):
        assert f"has no `{name}`" in refusal(payload)


@pytest.mark.req("E64")
def test_at_most_eight_files() -> None:
    """More would fill the new window before it starts."""
    files = [f"f{n}.py" for n in range(MOST_FILES)]
    assert len(read_payload({**WHOLE, "requiredFiles": files}).required_files) == 8
    assert "has 9 files" in refusal({**WHOLE, "requiredFiles": [*files, "one-more.py"]})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"summary": "  "}, "`summary` is empty"),
        ({"summary": 7}, "Expected `str`"),
        ({"nextSteps": []}, "say what to do next"),
        ({"nextSteps": ["a", " "]}, "say what to do next"),
        ({"nextSteps": "a"}, "Expected `array`"),
        ({"nextSteps": ["a"] * 51}, "at most 50"),
        ({"requiredFiles": ["a\0b"]}, "no path"),
        ({"requiredFiles": [""]}, "no path"),
        ({"sumary": "x"}, "did you mean `summary`?"),
        ({"summary": "x" * (LONGEST_PAYLOAD + 1)}, "name files instead"),
        ({"summary": "\ud800"}, "half a character"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_sentence(change: dict[str, Any], words: str) -> None:
    """With the member it is about and the next step."""
    assert words in refusal({**WHOLE, **change})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '"text"', b"\xff", "[" * 100_000, " " * (LONGEST_PAYLOAD + 1)]
)
def test_a_text_that_is_no_payload_is_refused(text: str | bytes) -> None:
    """Whatever it is."""
    with pytest.raises(RefusedError, match="BAD_PAYLOAD"):
        parse_payload(text)


@settings(deadline=None)
@given(value=anything)
def test_anything_is_either_kept_or_refused(value: Any) -> None:
    """And what is kept reads the same again."""
    try:
        payload = read_payload(value)
    except RefusedError as error:
        code = error.code
    else:
        code = Code.BAD_PAYLOAD
        assert read_payload(as_document(payload)) == payload

    assert code is Code.BAD_PAYLOAD
