"""Learns from the ledger which command worked after which error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, Final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.ledger_follower import LedgerFollower
from interlock.events.bounded_dict import BoundedDict
from interlock.events.names import EventName
from interlock.events.text import one_line
from interlock.events.tool import JsonObject
from interlock.ledger.entry import Entry

_MOST: Final = 20_000  # characters of an error to read
_LONGEST: Final = 200  # characters of a signature
_EMPTY: Final = re.compile(
    r"(?:exit code \d+|traceback \(most recent call last\):?|</?tool_use_error>|\W*)", re.IGNORECASE
)
_RAISED: Final = re.compile(r"\w*(?:Error|Exception)\b\s*(?::|$)")  # the last line of a Python traceback
_TELLING: Final = re.compile(
    r"error|fatal|fail|not found|no such|denied|refused|cannot|can't|unable|exception|invalid|missing"
    r"|timed? ?out",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,}\b|\d+", re.IGNORECASE)
_FOLDERS: Final = re.compile(r"(?:[\w.~-]*/)+(?=[\w.-])")


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What was done after an error and worked."""

    text: str
    seen: int  # how often the error occurred before
    worked: int  # how often this helped


def signature(error: str) -> str:
    """Return the most telling line without numbers and folders, which errors of one cause have in common."""
    lines = [line.strip() for line in error[:_MOST].splitlines()]
    lines = [line for line in lines if not _EMPTY.fullmatch(line)]
    if not lines:
        return ""
    raised = [line for line in lines if _RAISED.match(line)]
    telling = [line for line in lines if _TELLING.search(line)]
    line = (raised[-1:] or telling[:1] or lines[-1:])[0].lower()
    return " ".join(_NUMBER.sub("#", _FOLDERS.sub("", line)).split())[:_LONGEST]


_KEYS: Final = 10_000  # errors to remember, the newest
_SESSIONS: Final = 1_024
_OPEN: Final = 8  # unsolved errors of a session
_CALLS: Final = 12  # after this many calls, a success has nothing to do with the error
_STEPS: Final = 3  # calls in between to mention
_KINDS: Final = 8  # remedies of one error
_SHOWN: Final = 160  # characters of a call
_COMPARED: Final = 500
_ALIKE: Final = 0.6
_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
_MAIN: Final = ("command", "file_path", "notebook_path", "path", "url")
# Reading fixes nothing that a shell complained about.
_LOOKING: Final = frozenset(
    {"Read", "Grep", "Glob", "LS", "TodoWrite", "WebFetch", "WebSearch", "NotebookRead", "ToolSearch"}
)
_LOOKING_PROGRAMS: Final = frozenset(
    "ls cat pwd echo head tail grep rg find which type wc stat file env".split()
)

Key = tuple[str, str, str]  # workspace, tool, signature


class _Seen(msgspec.Struct):
    """The part of a body that matters here."""

    tool_input: Any = None
    error: Any = None
    agent_id: Any = None
    extra: Any = None


class _Call:
    """A call, to compare and to show."""

    __slots__ = ("given", "main", "tool")

    def __init__(self, tool: str, given: JsonObject) -> None:
        self.tool: Final = tool
        self.given: Final = given
        self.main: Final = next((str(given[name]) for name in _MAIN if given.get(name)), "")

    @property
    def summary(self) -> str:
        if self.tool == "Bash" or not self.main:
            text = self.main or f"{self.tool} {msgspec.json.encode(self.given).decode()}"
        else:
            text = f"{self.tool} {self.main}"
        return f"`{one_line(text, _SHOWN)}`"

    @property
    def looks(self) -> bool:
        """Whether it only reads."""
        words = self.main.split(maxsplit=1)
        return self.tool in _LOOKING or (
            self.tool == "Bash" and words[:1] != [] and words[0] in _LOOKING_PROGRAMS
        )

    def like(self, other: _Call) -> bool:
        """Whether it tries the same thing in another way."""
        if self.tool != other.tool:
            return False
        if self.tool != "Bash":
            return self.main == other.main
        ours, theirs = self.main[:_COMPARED], other.main[:_COMPARED]
        return SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _ALIKE


class _Failure:
    __slots__ = ("call", "key", "left", "steps")

    def __init__(self, key: Key, call: _Call) -> None:
        self.key: Final = key
        self.call: Final = call
        self.steps: Final[list[str]] = []
        self.left = _CALLS


class _Known:
    __slots__ = ("helped", "seen")

    def __init__(self) -> None:
        self.seen = 0
        self.helped: Final[Counter[str]] = Counter()


class RemedyIndex:
    """Filled in one thread and read from another."""

    def __init__(self) -> None:
        self._known: Final[BoundedDict[Key, _Known]] = BoundedDict(_KEYS)
        self._open: Final[BoundedDict[tuple[str, str], list[_Failure]]] = BoundedDict(_SESSIONS)

    def get(self, workspace: str, tool: str, error: str) -> Remedy | None:
        """Return what helped most often; None if nothing has yet."""
        known = self._known.get((workspace, tool, signature(error)))
        # Copied first: the other thread may be adding to it.
        helped = list(known.helped.items()) if known else []
        if known is None or not helped:
            return None
        text, worked = max(helped, key=lambda pair: pair[1])
        return Remedy(text=text, seen=known.seen, worked=worked)

    def add(self, entry: Entry) -> None:
        if entry.op != "decision" or entry.event not in _AFTER or not entry.tool:
            return
        body = entry.body_as(_Seen) or _Seen()
        fields = body.tool_input
        if not isinstance(fields, dict) or (isinstance(body.extra, dict) and body.extra.get("is_interrupt")):
            return  # a person stopped it, so it was not an error
        call = _Call(entry.tool, fields)
        failures = self._failures(entry.session_id or "", str(body.agent_id or ""))
        if entry.event == EventName.POST_TOOL_USE:
            failures[:] = [failure for failure in failures if not self._helped(failure, call)]
        elif isinstance(body.error, str) and (line := signature(body.error)):
            self._add_failure(failures, _Failure((entry.workspace, entry.tool, line), call))

    def _failures(self, session: str, agent: str) -> list[_Failure]:
        failures = self._open[session, agent] = self._open.get((session, agent), [])
        return failures

    def _add_failure(self, failures: list[_Failure], failure: _Failure) -> None:
        known = self._known[failure.key] = self._known.get(failure.key) or _Known()
        known.seen += 1
        if all(other.key != failure.key for other in failures):
            failures[:] = [*failures, failure][-_OPEN:]

    def _helped(self, failure: _Failure, call: _Call) -> bool:
        """Whether a call that went well ends an error, or it is too long ago."""
        failure.left -= 1
        same = call.tool == failure.call.tool and call.given == failure.call.given
        if same or call.like(failure.call):
            last = call.summary if not same and call.tool == "Bash" else "the same again"
            remedy = ", then ".join([*failure.steps[-_STEPS:], last])
            known = self._known.get(failure.key)
            if known is not None and (remedy in known.helped or len(known.helped) < _KINDS):
                known.helped[remedy] += 1
            return True
        if not call.looks or failure.call.tool != "Bash":
            failure.steps.append(call.summary)
        return failure.left <= 0


class Remedies(LedgerFollower[None]):
    """Collected in the background from when a hook wants it; asking is a look into a table."""

    trouble = "what worked after errors is not collected"
    back = 100_000

    def __init__(self, context: DaemonContext) -> None:
        super().__init__(context)
        self._index: Final = RemedyIndex()

    def find(self, folder: str, tool: str, error: str) -> Remedy | None:
        """What helped most often after this error of this tool, in the workspace of a folder."""
        return self._index.get(self.workspace_of(folder), tool, error) if self._seen is not None else None

    def read(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._index.add(entry)

    def add(self, found: None) -> None:
        """Do nothing: `read` has already added the entries."""
