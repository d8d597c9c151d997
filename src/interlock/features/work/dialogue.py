"""What an agent asked the person, and what the person chose, as one entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

TOOL: Final = "AskUserQuestion"
_MOST: Final = 20  # questions, and options of one


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question."""

    question: str
    options: tuple[str, ...] = ()  # their labels
    answer: str = ""  # empty where none was given


class Dialogue(msgspec.Struct, frozen=True, kw_only=True):
    """The questions of one call."""

    preamble: str = ""  # what the agent said before it asked
    questions: tuple[Question, ...] = ()

    @property
    def text(self) -> str:
        """The same for people."""
        asked = [f"Q: {one.question}\nA: {one.answer or '(no answer)'}" for one in self.questions]
        return "\n\n".join([self.preamble, *asked] if self.preamble else asked)


def dialogue_of(tool: str, tool_input: Any, response: Any, *, preamble: str | None = None) -> Dialogue | None:
    """The entry for a call of the asking tool; None for every other call and for one without questions."""
    if tool != TOOL or not isinstance(tool_input, Mapping):
        return None
    listed = tool_input.get("questions")
    answers = _answers(tool_input, response)
    questions = tuple(_question(one, answers) for one in _items(listed) if isinstance(one, Mapping))
    return Dialogue(preamble=(preamble or "").strip(), questions=questions) if questions else None


def _question(asked: Mapping[str, Any], answers: Mapping[str, Any]) -> Question:
    text = str(asked.get("question", ""))
    options = tuple(
        str(option.get("label", "")) if isinstance(option, Mapping) else str(option)
        for option in _items(asked.get("options"))
    )
    return Question(question=text, options=options, answer=_answer(answers.get(text)))


def _answers(tool_input: Mapping[str, Any], response: Any) -> Mapping[str, Any]:
    """The answers by question; the host puts them into its result, and may repeat them in the input."""
    for holder in (response, tool_input):
        found = holder.get("answers") if isinstance(holder, Mapping) else None
        if isinstance(found, Mapping):
            return found
    return {}


def _answer(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)


def _items(value: Any) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else []
