"""The names of moments."""

from __future__ import annotations

import pytest

from interlock.errors import UnknownEventError
from interlock.events.names import (
    ALIASES,
    CLOSED,
    JUDGED,
    EventName,
    canonical_event_name,
    parse_event_name,
    snake_case,
)


def _camel(name: str) -> str:
    return name[0].lower() + name[1:]


@pytest.mark.parametrize("name", list(EventName))
def test_a_name_is_read_in_every_spelling(name: EventName) -> None:
    """Canonical, snake_case and camelCase all mean the same moment."""
    assert {parse_event_name(text) for text in (name, snake_case(name), _camel(name))} == {name}


@pytest.mark.req("C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12", "C13", "C14")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("PreToolUse", EventName.PRE_TOOL_USE),
        ("PostToolUse", EventName.POST_TOOL_USE),
        ("PostToolUseFailure", EventName.POST_TOOL_USE_FAILURE),
        ("PrePromptSubmit", EventName.USER_PROMPT_SUBMIT),
        ("PostUserMessage", EventName.POST_USER_MESSAGE),
        ("SessionStart", EventName.SESSION_START),
        ("SessionEnd", EventName.SESSION_END),
        ("SubagentStart", EventName.SUBAGENT_START),
        ("SubagentStop", EventName.SUBAGENT_STOP),
        ("PreCompact", EventName.PRE_COMPACT),
        ("NotificationEvent", EventName.NOTIFICATION),
        ("StatusLine", EventName.STATUS_LINE),
        ("FileSuggestion", EventName.FILE_SUGGESTION),
    ],
)
def test_the_thirteen_moments_of_hooks_toml_are_known(written: str, meant: EventName) -> None:
    """Every event its document names can be bound to, under the name it uses there."""
    assert parse_event_name(written) is meant


@pytest.mark.parametrize(("alias", "name"), list(ALIASES.items()))
def test_aliases_mean_their_moment(alias: str, name: EventName) -> None:
    """The names other architectures use are accepted, also in snake_case."""
    assert parse_event_name(alias) is name
    assert parse_event_name(snake_case(alias)) is name


@pytest.mark.req("M2")
def test_before_a_tool_and_at_stop_votes_count_and_after_a_tool_they_do_not() -> None:
    """Only moments at which something can still be held back are judged."""
    assert {"PreToolUse", "Stop", "UserPromptSubmit"} <= JUDGED
    assert not {"PostToolUse", "PostToolUseFailure", "Notification", "SessionStart"} & JUDGED


@pytest.mark.req("F01", "F04", "F05")
def test_what_is_closed_is_also_judged_and_stop_is_open() -> None:
    """Closing makes sense only where a vote counts; the end of a turn never hangs on a broken hook."""
    assert CLOSED <= JUDGED
    assert {"PreToolUse", "PermissionRequest", "UserPromptSubmit"} <= CLOSED
    assert not {"Stop", "SubagentStop", "PostToolUse"} & CLOSED


@pytest.mark.req("C15")
def test_a_name_keys_a_map_as_the_text_it_is() -> None:
    """Names compare and hash like their text, so either finds the hooks."""
    by_name: dict[str, int] = {name: place for place, name in enumerate(EventName)}

    assert by_name["PreToolUse"] == by_name[EventName.PRE_TOOL_USE]
    assert len(by_name) == len(EventName)


def test_an_unknown_name_in_a_policy_is_told_the_nearest() -> None:
    """A misspelt event is an error that names what was probably meant."""
    with pytest.raises(UnknownEventError, match="unknown event `PreTolUse`; did you mean `PreToolUse`"):
        parse_event_name("PreTolUse")


def test_a_name_like_nothing_gets_no_guess() -> None:
    """No nearest name is invented."""
    with pytest.raises(UnknownEventError) as caught:
        parse_event_name("zzz")
    assert caught.value.nearest is None


def test_an_unknown_event_from_a_host_keeps_its_name() -> None:
    """A host may report moments nobody has named yet."""
    assert canonical_event_name("somethingNew") == "somethingNew"
    assert canonical_event_name("pre_tool_use") == "PreToolUse"


@pytest.mark.req("M77")
@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("session_start", EventName.SESSION_START),
        ("prompt_submit", EventName.USER_PROMPT_SUBMIT),
        ("pre_tool", EventName.PRE_TOOL_USE),
        ("post_tool", EventName.POST_TOOL_USE),
        ("post_tool_failure", EventName.POST_TOOL_USE_FAILURE),
        ("permission_request", EventName.PERMISSION_REQUEST),
        ("pre_compact", EventName.PRE_COMPACT),
        ("post_compact", EventName.POST_COMPACT),
        ("subagent_stop", EventName.SUBAGENT_STOP),
        ("stop", EventName.STOP),
        ("session_end", EventName.SESSION_END),
    ],
)
def test_the_short_names_of_other_agents_are_understood(short: str, name: EventName) -> None:
    """The eleven moments every agent has may be written by their short names."""
    assert parse_event_name(short) is name
