"""Values that people type: names, calls and times. For a mistyped name the error suggests the nearest."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
import typer

from interlock.errors import InterlockError
from interlock.events.hook import Layer
from interlock.events.names import EventName, parse_event_name
from interlock.events.tool import FALLBACK_FIELDS, JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.policy.files.words import duration, hint, near_miss
from interlock.policy.policy import Policy
from interlock.store.clock import timestamp

DECISIONS: Final = tuple(str(vote) for vote in (Vote.ALLOW, Vote.ASK, Vote.DENY))
_LAYERS: Final = tuple(name.lower() for name in Layer.__members__)
# What people say for a decision, beside words that are only mistyped.
_MEANT: Final = {"allowed": "allow", "denied": "deny", "blocked": "deny", "asked": "ask"}

SinceOption = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Only from this time on: 2h, 3d, 2026-01-31 or 2026-01-31T12:00."),
]
UntilOption = Annotated[str | None, typer.Option(metavar="TIME", help="Only before this time.")]


def one_of(word: str, valid: Iterable[str], what: str) -> str:
    """Return the word, which must be one of these."""
    words = tuple(valid)
    if word in words:
        return word
    meant = _MEANT.get(word.lower())
    raise InterlockError(f"`{word}` is not a {what}; {hint(meant if meant in words else word, words)}")


def probably(word: str, known: Iterable[str], what: str) -> str:
    """Return the word, which may be unknown but not a known one mistyped."""
    words = tuple(known)
    if word not in words and near_miss(word, words):
        raise InterlockError(f"there is no {what} `{word}`; {hint(word, words)}")
    return word


def decision_word(word: str | None) -> str | None:
    """Check the value of an option: a decision."""
    return None if word is None else one_of(word, DECISIONS, "decision")


def layer_word(word: str) -> str:
    """Check the value of an option: a layer of policies."""
    return one_of(word.lower(), _LAYERS, "layer")


def actor_word(word: str | None, policy: Policy) -> str | None:
    """Check the name of an actor, which the policy need not know."""
    return None if word is None else probably(word, {*policy.actors.names, *policy.permitted}, "actor")


def tool_word(word: str | None) -> str | None:
    """Check the value of an option: a tool, which may be one that only its agent knows."""
    return None if word is None else probably(word, STANDARD_TOOLS.known, "tool")


def tool_call(tool: str, args: str) -> ToolCall:
    """A call with only its main argument."""
    spec = STANDARD_TOOLS.spec(tool)
    field = (spec.main if spec else None) or FALLBACK_FIELDS[0]
    return ToolCall(name=tool, input={field: args})


def moment(
    event: str | None, tool: str | None, prompt: str | None, error: str | None, *, hint: str
) -> EventName:
    """The named event, or the one that the other values belong to; `hint` says what could be given."""
    if event is not None:
        return parse_event_name(event)
    if tool:
        return EventName.POST_TOOL_USE_FAILURE if error else EventName.PRE_TOOL_USE
    if prompt is not None:
        return EventName.USER_PROMPT_SUBMIT
    raise InterlockError(f"nothing to decide; give {hint}")


def json_object(text: str | bytes, what: str) -> JsonObject:
    """Read a JSON object; `what` names the text in the error."""
    try:
        return msgspec.json.decode(text, type=JsonObject)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InterlockError(
            f'{what} is not a JSON object ({error}); write it as \'{{"command": "ls"}}\''
        ) from error


def parse_time(text: str, option: str, now: dt.datetime | None = None) -> str:
    """Read a time or an age, as entries store times; a time without a zone is local."""
    try:
        try:
            at = (now or dt.datetime.now(dt.UTC)) - dt.timedelta(seconds=duration(text))
        except ValueError:
            at = dt.datetime.fromisoformat(text)
        return timestamp(at.timestamp())
    except (ValueError, OverflowError, OSError):
        raise InterlockError(
            f"`{text}` is not a time for {option}; write an age (30m, 2h, 3d) or a date (2026-01-31T12:00)"
        ) from None


def parse_times(since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """Read both ends of a span, which must not be swapped."""
    first = None if since is None else parse_time(since, "--since")
    last = None if until is None else parse_time(until, "--until")
    if first is not None and last is not None and first >= last:
        raise InterlockError(f"nothing is both since `{since}` and before `{until}`; swap them")
    return first, last


def until(text: str, now: float | None = None) -> str:
    """Read a time in the future: `7d`, a date (to its end) or a date and time; without a zone, local."""
    begin = time.time() if now is None else now
    try:
        return timestamp(begin + duration(text))
    except ValueError:
        pass
    try:
        found = dt.datetime.fromisoformat(text)
    except ValueError:
        raise InterlockError(
            f"`{text}` is not a time; write `7d`, `2026-12-31` or `2026-12-31T18:00`"
        ) from None
    if len(text) <= len("2026-12-31"):
        found = found.replace(hour=23, minute=59, second=59)
    if found.timestamp() <= begin:
        raise InterlockError(f"`{text}` is in the past; name a time in the future")
    return timestamp(found.timestamp())
