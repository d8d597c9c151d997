"""The pages about events and the socket say what the code does, name by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.events.names import CLOSED, JUDGED, WITH_TOOL, EventName, refusal_word
from interlock.features.work.requests import REQUESTS, is_optional
from interlock.features.work.rpc import FLEET_START, METHODS
from interlock.hosts.claude_code.capabilities import CAPABILITIES, events_of

DOCS = Path(__file__).resolve().parent.parent / "docs"
EVENTS, PROTOCOL = ((DOCS / name).read_text("utf-8") for name in ("events.md", "protocol.md"))
WORD = re.compile(r"`([^`]+)`")


def cells(page: str, first: str) -> list[list[str]]:
    """The rows of the table that begins with this head."""
    rows = page[page.index(first) :].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def words(text: str) -> list[str]:
    """What stands between backticks."""
    return WORD.findall(text)


def test_what_can_be_done_at_each_event_is_told_as_it_is() -> None:
    """Who may vote, what no answer means, and where a tool may be named."""
    rows = cells(EVENTS, "| event | votes count |")
    votes = {name for row in rows if row[1] == "yes" for name in words(row[0])}
    closed = {name for row in rows if row[2] == "deny" for name in words(row[0])}
    tools = EVENTS[EVENTS.index("**Tools.**") :].partition("At any other")[0]

    assert votes == JUDGED
    assert closed == CLOSED
    assert set(words(tools)) == WITH_TOOL
    assert [word for name in EventName if (word := refusal_word(name)) not in EVENTS] == []


def test_what_claude_code_takes_is_told_as_it_is() -> None:
    """Which events it reports, and where context and a new output arrive."""
    rows = {row[0]: set(words(row[1])) for row in cells(EVENTS, "| | at these events |")}
    printed = {name for name, moment in CAPABILITIES.items() if moment.context or moment.printed}

    assert rows["not reported"] == set(EventName) - set(events_of())
    assert rows["context reaches the model"] == printed
    assert rows["the output is replaced"] == {name for name, moment in CAPABILITIES.items() if moment.output}


@pytest.mark.req("E1")
def test_every_hook_method_is_told_with_its_fields_and_its_answer() -> None:
    """What must be sent, what may be, and what comes back, in the order the code has them."""
    told: dict[str, tuple[list[str], set[str], list[str]]] = {}
    for names, event, takes, answers in cells(PROTOCOL, "| method | event | takes also |"):
        told |= {name: (words(event), set(words(takes)), words(answers)[0].split()) for name in words(names)}

    assert told == {
        name: ([str(event)], takes_of(event), answers_of(event)) for name, event in METHODS.items()
    }
    assert FLEET_START in PROTOCOL


def takes_of(event: str) -> set[str]:
    """The fields an event brings beside the common ones, with a question mark where they may be left out."""
    return {f"{name}?" if is_optional(kind) else name for name, kind in REQUESTS[event].takes.items()}


def answers_of(event: str) -> list[str]:
    """The fields of an answer, with a question mark where they may be missing."""
    request = REQUESTS[event]
    return [*request.answer, *(f"{name}?" for name in request.may_answer)]
