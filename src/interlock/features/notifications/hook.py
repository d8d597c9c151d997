"""`notify`: notifies people of an event by webhook, Slack channel, desktop or terminal bell."""

from __future__ import annotations

import os.path
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, final
from urllib.parse import urlsplit

import msgspec

from interlock.builtin_hooks.project_files import read_file
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.text import one_line
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.features.notifications.service import Notice, NotificationService, Ways
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin, Memory, MemoryInProcess
from interlock.redaction.redactor import KEYLESS, Redactor

_SHOWN: Final = 300
_FIELD: Final = re.compile(r"\{(\w+)\}")
_MESSAGES: Final = ("message", "last_assistant_message", "reason", "error_details", "title")  # of hosts
_TITLES: Final[dict[str, str]] = {
    EventName.NOTIFICATION: "wants you",
    EventName.PERMISSION_REQUEST: "asks for permission",
    EventName.STOP: "has finished",
    EventName.STOP_FAILURE: "cannot go on",
    EventName.SUBAGENT_STOP: "has a sub-agent that finished",
    EventName.SESSION_END: "has ended",
    EventName.SESSION_START: "has started",
    EventName.POST_TOOL_USE_FAILURE: "had a failed call",
    EventName.PERMISSION_DENIED: "was denied permission",
    EventName.PRE_COMPACT: "is about to compact its context",
}


def make_title(event: Event) -> str:
    place = os.path.basename((event.project or event.cwd).rstrip("/")) or "an agent"
    what = _TITLES.get(event.name) or f"is at {event.name}"
    return one_line(f"Interlock: {place} {what}", _SHOWN)


def describe(event: Event) -> str:
    """Return one line: what the host said, else what the event is about."""
    return one_line(_message_of(event) or _call(event) or event.prompt or event.name, _SHOWN)


def make_document(event: Event, text: str) -> JsonObject:
    return {
        "event": "hook_notice",
        "moment": str(event.name),
        "text": text,
        "session_id": event.session_id,
        "actor": event.actor,
        "host": event.host,
        "folder": event.project or event.cwd,
        "tool": event.tool.name if event.tool else None,
    }


def make_slack_message(title: str, text: str) -> JsonObject:
    """The same for Slack, with its three markup characters escaped."""
    return {"text": f"*{_escape(title)}*\n{_escape(text)}"}


def fill_in(template: str, event: Event) -> str:
    """Replace the placeholders in a policy's text."""
    return one_line(_FIELD.sub(lambda match: _FIELDS[match[1]](event), template), _SHOWN)


def unknown_placeholder(template: str) -> str | None:
    return next((name for name in _FIELD.findall(template) if name not in _FIELDS), None)


def _message_of(event: Event) -> str:
    found: Any = event.error or next((event.extra[name] for name in _MESSAGES if event.extra.get(name)), "")
    return found if isinstance(found, str) else ""


def _call(event: Event) -> str:
    if event.tool is None:
        return ""
    spec = STANDARD_TOOLS.spec(event.tool.name)
    main = event.tool.input.get(spec.main) if spec is not None and spec.main else None
    return f"{event.tool.name}: {main}" if isinstance(main, str) else event.tool.name


_FIELDS: Final[dict[str, Callable[[Event], str]]] = {
    "event": lambda event: str(event.name),
    "tool": lambda event: event.tool.name if event.tool else "",
    "call": _call,
    "session": lambda event: event.session_id,
    "folder": lambda event: event.project or event.cwd,
    "actor": lambda event: event.actor,
    "said": _message_of,
}


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_AT: Final = "at"
_LONGEST: Final = 2_048  # of an address


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to notify people, of what, and how often at most."""

    webhook: Annotated[str, about("http or https; receives the notification as JSON.")] = ""
    webhook_file: Annotated[
        str, about("A file with the address, if the address is a secret; `~/` for home.")
    ] = ""
    shape: Annotated[
        Literal["json", "slack"], about('slack: `{"text": …}`, the format of Slack and compatible services.')
    ] = "json"
    desktop: Annotated[bool, about("true: show a desktop notification.")] = False
    bell: Annotated[bool, about("true: ring the bell of the agent's terminal.")] = False
    text: Annotated[
        str, about("The text; `{tool}`, `{call}`, `{folder}`, `{actor}`, `{said}` … are filled in.")
    ] = ""
    every: Annotated[
        float, about("The least number of seconds between two notifications of one session.", ge=0)
    ] = 0


@final
class Notify(Helper):
    """Sends a notice and does not wait for it; without a daemon it does nothing."""

    kind: Final = "notify"

    def __init__(
        self,
        options: Options,
        context: BuildContext,
        webhook: str | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(options)
        self._wanted: Final = options
        self._webhook: Final = webhook
        self._key: Final = context.name
        self._clock: Final = clock
        self._notices: Final = None if context.trial else context.services.find(NotificationService)
        self._memory: Final[Memory] = context.services.find(Memory) or MemoryInProcess()
        self._redactor: Final[Redactor] = context.services.find(Redactor) or KEYLESS

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if self._notices is None or not self._due(event.session_id):
            return NO_OPINION
        wanted = self._wanted
        text = self._redactor.text(fill_in(wanted.text, event) if wanted.text else describe(event))
        title = make_title(event)
        document = make_slack_message(title, text) if wanted.shape == "slack" else make_document(event, text)
        self._notices.tell(
            Notice(title=title, text=text, document=document),
            Ways(webhook=self._webhook, desktop=wanted.desktop),
            bell_of=event.session_id if wanted.bell else None,
        )
        return NO_OPINION

    def _due(self, session: str) -> bool:
        if not self._wanted.every:
            return True
        now, last = self._clock(), self._memory.get(session, self._key).get(_AT)
        # If the clock was set back, notify anyway.
        if isinstance(last, int | float) and 0 <= now - last < self._wanted.every:
            return False
        self._memory.put(session, self._key, {_AT: now})
        return True


def make(options: Options, context: BuildContext) -> Handler | None:
    """Make the hook; report missing ways to notify and bad addresses."""
    if not (options.webhook or options.webhook_file or options.desktop or options.bell):
        context.problem(
            "webhook", "nobody would be notified; set `webhook`, `webhook_file`, `desktop` or `bell`"
        )
        return None
    if options.webhook and options.webhook_file:
        context.problem("webhook_file", "the address is already set by `webhook`; remove one of the two")
        return None
    unknown = unknown_placeholder(options.text)
    if unknown:
        context.problem("text", f"`{{{unknown}}}` is not a placeholder; see the option's list")
        return None
    address = _read_address(options.webhook_file, context) if options.webhook_file else options.webhook
    if address is None:
        return None
    if address and not _is_address(address):
        field = "webhook_file" if options.webhook_file else "webhook"
        shown = "the content of the file" if options.webhook_file else f"`{address}`"
        context.problem(field, f"{shown} is not a web address; write `https://…`")
        return None
    return Notify(options, context, address or None)


def _read_address(name: str, context: BuildContext) -> str | None:
    path = f"{context.environ.get('HOME', '')}{name[1:]}" if name.startswith("~/") else name
    if not Path(path).is_absolute():
        context.problem("webhook_file", f"`{name}` is relative; start it with `/` or `~/`")
        return None
    content = read_file(path, _LONGEST)
    if content is None:
        context.problem("webhook_file", f"`{name}` cannot be read; write the address into it")
        return None
    return content.decode("utf-8", "replace").strip()


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


BUILTIN: Final = Builtin(
    kind="notify",
    about="Notifies people by webhook, Slack, desktop or bell, without delaying the agent.",
    options=Options,
    make=make,
    on_failure=OnFailure.OPEN,
)
