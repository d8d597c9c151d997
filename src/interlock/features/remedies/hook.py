"""`failure_hints`: tells the agent after an error what worked before, or what the error usually means."""

from __future__ import annotations

from typing import Annotated, Any, Final, final

import msgspec
import re2

from interlock.builtin_hooks.tool_error import error_text
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.features.remedies.service import Remedies, signature
from interlock.patterns.glob import compile_quietly
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, memory_of

_SECONDS: Final = 3.0
_READ: Final = 20_000  # characters of an error
_REMEMBERED: Final = 200  # errors of a session

# What an error usually means, by a pattern of its text; the first match counts.
KNOWN: Final = (
    (
        r"command not found|: not found$",
        "The program is not installed: check how this project runs it, or install it.",
    ),
    (r"has not been read yet|read it first", "Read the file, then change it."),
    (r"string to replace not found|old_string.*not found", "The file has changed: read it again, then edit."),
    (
        r"no module named|cannot find module",
        "A dependency is missing: install it with the project's own tool.",
    ),
    (
        r"address already in use|eaddrinuse",
        "Another program already uses that address: find it, or use another port.",
    ),
    (r"connection refused|econnrefused", "Nothing listens there: start the service, or check host and port."),
    (r"no space left|disk quota", "The disk is full: find out what takes the space before you continue."),
    (
        r"permission denied|eacces|operation not permitted",
        "You do not have the permission: check who owns it, and do not force it.",
    ),
    (r"index\.lock", "Another git is running, or one was killed: wait, then check whether one still runs."),
    (r"merge conflict|conflict \(", "There are conflicts: resolve each file, then continue."),
    (r"non-fast-forward|fetch first", "The branch has moved on: fetch and check before you push."),
    (
        r"no such file or directory|enoent|file does not exist",
        "The path is wrong: list the folder to find it.",
    ),
    (r"timed? ?out", "It took too long: try a smaller part, or run it in the background."),
    (r"syntax ?error", "It cannot be parsed: check the line it names and the one before it."),
)


class Hint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hint for errors that match a pattern."""

    match: Annotated[Text, about("An RE2 pattern of the error's text, case-insensitive.")]
    text: Annotated[Text, about("The text for the model.")]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where hints come from, and how often to give one."""

    hints: Annotated[tuple[Hint, ...], about("Your own, tried before the built-in ones.")] = ()
    known: Annotated[bool, about("false: leave out what errors usually mean.")] = True
    ledger: Annotated[bool, about("false: leave out what worked in this project before.")] = True
    per_session: Annotated[int, about("How often the same error is explained.", ge=1)] = 2


@final
class FailureHints(Helper):
    """Adds context after a failed call; it never votes."""

    kind: Final = "failure_hints"

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        own = [(_pattern(one.match), one.text) for one in options.hints]
        known = [(_pattern(text), hint) for text, hint in KNOWN] if options.known else []
        self._own: Final = own
        self._usual: Final = known
        self._most: Final = options.per_session
        self._name: Final = context.name
        self._remedies: Final[Remedies | None] = context.services.find(Remedies) if options.ledger else None
        if self._remedies is not None:
            self._remedies.want()
        self._memory: Final = memory_of(context)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.tool is None or event.extra.get("is_interrupt") is True:  # a person stopped it
            return NO_OPINION
        # A lone surrogate can be neither searched nor stored.
        error = (error_text(event) or "")[:_READ].encode("utf-8", "replace").decode()
        advice = self._advice(event, event.tool.name, error) if error.strip() else ""
        if not advice or not self._count_hint(event.session_id, signature(error)):
            return NO_OPINION
        return Verdict(context=advice)

    def _advice(self, event: Event, tool: str, error: str) -> str:
        own = _first(self._own, error)
        if own:
            return own
        folder = event.project or event.cwd
        remedy = self._remedies.find(folder, tool, error) if self._remedies is not None else None
        if remedy is None:
            return _first(self._usual, error)
        times = "once" if remedy.seen == 1 else f"{remedy.seen} times"
        return f"This error occurred here {times} before. What worked then: {remedy.text}."

    def _count_hint(self, session: str, error: str) -> bool:
        """Count a hint about this error; False if the session has had enough of them."""
        counts = self._memory.get(session, self._name)
        times = int(counts.get(error, 0))
        if times >= self._most:
            return False
        others = {key: count for key, count in counts.items() if key != error}
        newest = list(others.items())[-_REMEMBERED:]
        self._memory.put(session, self._name, {**dict(newest), error: times + 1})
        return True


def _first(hints: list[tuple[Any, str]], error: str) -> str:
    return next((text for pattern, text in hints if pattern.search(error)), "")


def _pattern(text: str) -> Any:
    return compile_quietly(f"(?m){text}", caseless=True)


def make(options: Options, context: BuildContext) -> Handler | None:
    """Make the hook; report patterns that RE2 does not support."""
    for index, hint in enumerate(options.hints):
        try:
            _pattern(hint.match)
        except re2.error:
            message = f"`{hint.match}` is not a regular expression that RE2 supports; correct it"
            context.problem(("hints", index, "match"), message)
            return None
    return FailureHints(options, context)


BUILTIN: Final = Builtin(
    kind="failure_hints",
    about="Tells the agent after an error what worked before, or what the error usually means.",
    options=Options,
    make=make,
    events=(EventName.POST_TOOL_USE_FAILURE, EventName.POST_TOOL_USE),
    also=(EventName.POST_TOOL_USE_FAILURE, EventName.POST_TOOL_USE),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
