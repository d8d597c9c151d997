"""A question to the person and the answer become one entry."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.messages import Dialogue, Question, dialogue_of

ASKED = {
    "questions": [
        {
            "question": "Which way?",
            "header": "Way",
            "multiSelect": False,
            "options": [{"label": "Left", "description": "…"}, {"label": "Right", "description": "…"}],
        },
        {"question": "How fast?", "options": []},
    ]
}


@pytest.mark.req("E52")
def test_answers_are_paired_by_the_text_of_their_question() -> None:
    """Whatever their order; a missing answer is empty."""
    found = dialogue_of("AskUserQuestion", ASKED, {"answers": {"Which way?": "Left"}}, preamble=" I wonder. ")

    assert found == Dialogue(
        preamble="I wonder.",
        questions=(
            Question(question="Which way?", options=("Left", "Right"), answer="Left"),
            Question(question="How fast?"),
        ),
    )
    assert found.text == "I wonder.\n\nQ: Which way?\nA: Left\n\nQ: How fast?\nA: (no answer)"


def test_answers_are_also_found_in_the_input() -> None:
    """Where a hook gave them, the host repeats them there."""
    found = dialogue_of("AskUserQuestion", {**ASKED, "answers": {"How fast?": ["very", "very"]}}, "text")

    assert found is not None
    assert [one.answer for one in found.questions] == ["", "very, very"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", ASKED),
        ("AskUserQuestion", {}),
        ("AskUserQuestion", {"questions": "x"}),
        ("AskUserQuestion", 7),
    ],
)
def test_every_other_call_is_no_dialogue(tool: str, given: Any) -> None:
    """Another tool, or nothing asked."""
    assert dialogue_of(tool, given, {"answers": {"Which way?": "Left"}}) is None


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["questions", "question", "options", "answers", "label"]), inner
            )
        ),
    )
)
def test_no_input_raises(value: Any) -> None:
    """A call comes from a model, its result from a tool."""
    found = dialogue_of("AskUserQuestion", value, value)

    assert found is None or found.questions
