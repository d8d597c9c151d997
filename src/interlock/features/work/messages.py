"""What was said in a session, kept from its transcript a piece at a time, with what a person was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

import msgspec

from interlock.features.work.event_context import EventContext, encoded
from interlock.features.work.records import Session
from interlock.features.work.transcript import Entry, piece_from, read_entry, tail, texts

MOST: Final = 512 * 1024  # bytes a call: an agent waits for it
LONGEST: Final = 16 * 1024  # characters of one message
_HALF: Final = LONGEST // 2
_BACK: Final = 64 * 1024  # bytes looked back for the call that a result belongs to


class TranscriptMessage(msgspec.Struct, frozen=True, kw_only=True):
    role: str  # user, assistant, tool or system
    content: str
    tool_name: str | None = None
    timestamp: str | None = None  # as the transcript has it


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    messages: tuple[TranscriptMessage, ...] = ()
    offset: int = 0  # to be kept for the next call
    broken: int = 0  # lines that are not an entry
    more: bool = False  # the next call can go on at once


def read_on(path: str, offset: int, *, most: int = MOST) -> Reading:
    """What was said since an offset; never raises, whatever is in the file or if there is none."""
    piece = piece_from(path, offset, most)
    lines = [line for line in piece.lines if line.strip()]
    entries = [entry for line in lines if (entry := read_entry(line)) is not None]
    tools = _names(entries)
    if any(use not in tools for entry in entries for use in _results(entry)):
        earlier = (read_entry(line) for line in tail(path, _BACK, offset))
        tools |= _names([entry for entry in earlier if entry is not None])
    return Reading(
        messages=tuple(message for entry in entries for message in _messages_of(entry, tools)),
        offset=piece.offset,
        broken=piece.cut + len(lines) - len(entries),
        more=piece.more,
    )


def _names(entries: Iterable[Entry]) -> dict[str, str]:
    blocks = (block for entry in entries for block in entry.blocks if block.get("type") == "tool_use")
    return {str(block.get("id")): str(block.get("name", "")) for block in blocks}


def _results(entry: Entry) -> Iterator[str]:
    for block in entry.blocks:
        if block.get("type") == "tool_result":
            yield str(block.get("tool_use_id"))


def _messages_of(entry: Entry, tools: Mapping[str, str]) -> Iterator[TranscriptMessage]:
    if entry.is_meta:
        return
    if entry.type in ("user", "assistant"):
        for role, content, tool in _split_entry(entry, tools):
            if content.strip():
                yield _message(entry, role, content, tool)
    elif entry.type == "system" and isinstance(entry.content, str) and entry.content.strip():
        yield _message(entry, "system", entry.content, None)


def _split_entry(entry: Entry, tools: Mapping[str, str]) -> Iterator[tuple[str, str, str | None]]:
    role = "system" if entry.failed or entry.is_compact_summary else str(entry.type)
    for block in entry.blocks:
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            yield role, block["text"], None
        elif kind == "tool_use":
            yield role, encoded(block.get("input")), str(block.get("name", ""))
        elif kind == "tool_result":
            tool = tools.get(str(block.get("tool_use_id")))
            yield "tool", "\n".join(texts(block.get("content"))), tool


def _message(entry: Entry, role: str, content: str, tool: str | None) -> TranscriptMessage:
    stamp = entry.timestamp if isinstance(entry.timestamp, str) else None
    if len(content) > LONGEST:
        left_out = f"… {len(content) - LONGEST:,} characters left out …"
        content = f"{content[:_HALF]}\n{left_out}\n{content[-_HALF:]}"
    return TranscriptMessage(role=role, content=content, tool_name=tool, timestamp=stamp)


def take_in(context: EventContext, session: Session | None, path: str) -> None:
    """Read on where the last call ended and keep what was said."""
    if session is None or session.effort_id is None or not path:
        return  # what is said in a session that is at work on nothing is nobody's business
    sessions, offset = context.work.sessions, session.transcript_offset
    if session.transcript_path != path:
        offset = 0
        sessions.set_transcript(session.id, path)
    reading = read_on(path, offset)
    redact = context.services.redact
    messages = (
        (message.role, redact(message.content), message.tool_name, message.timestamp)
        for message in reading.messages
    )
    context.work.messages.add_many(session.id, messages)
    if reading.offset != offset:
        sessions.set_offset(session.id, reading.offset)


def transcript_of(context: EventContext) -> str:
    """The transcript of whoever acts; a sub-agent's lies in a folder beside that of its parent."""
    path: str = context.transcript_path
    agent_id: str | None = context.event.agent_id
    if not path or agent_id is None:
        return path
    if "/" in agent_id or PurePath(path).name in {"", ".."}:
        return ""
    return str(PurePath(path).with_suffix("") / "subagents" / f"agent-{agent_id}.jsonl")


ASKING_TOOL: Final = "AskUserQuestion"
_MOST: Final = 20  # questions, and options of one


class Question(msgspec.Struct, frozen=True, kw_only=True):
    question: str
    options: tuple[str, ...] = ()  # their labels
    answer: str = ""  # empty where none was given


class Dialogue(msgspec.Struct, frozen=True, kw_only=True):
    preamble: str = ""  # what the agent said before it asked
    questions: tuple[Question, ...] = ()

    @property
    def text(self) -> str:
        """The same for people."""
        pairs = [
            f"Q: {question.question}\nA: {question.answer or '(no answer)'}" for question in self.questions
        ]
        return "\n\n".join([self.preamble, *pairs] if self.preamble else pairs)


def dialogue_of(tool: str, tool_input: Any, response: Any, *, preamble: str = "") -> Dialogue | None:
    """The entry for a call of the asking tool; None for every other call and for one without questions."""
    if tool != ASKING_TOOL or not isinstance(tool_input, Mapping):
        return None
    items = tool_input.get("questions")
    answers = _answers(tool_input, response)
    questions = tuple(_question(item, answers) for item in _items(items) if isinstance(item, Mapping))
    return Dialogue(preamble=preamble.strip(), questions=questions) if questions else None


def preamble_of(path: str, use_id: str | None) -> str:
    """What the agent said in the same message before it made a call; empty if the transcript has none."""
    entries = [entry for line in tail(path, _BACK) if (entry := read_entry(line)) is not None]
    calling = (entry for entry in entries if any(block.get("id") == use_id for block in entry.blocks))
    message = next((entry.body.get("id") for entry in calling), None)
    if use_id is None or message is None:
        return ""
    return "\n".join(entry.text for entry in entries if entry.body.get("id") == message and entry.text)


def _question(item: Mapping[str, Any], answers: Mapping[str, Any]) -> Question:
    text = str(item.get("question", ""))
    options = tuple(
        str(option.get("label", "")) if isinstance(option, Mapping) else str(option)
        for option in _items(item.get("options"))
    )
    answer = answers.get(text)
    chosen = answer if isinstance(answer, list) else [] if answer is None else [answer]
    return Question(question=text, options=options, answer=", ".join(map(str, chosen)))


def _answers(tool_input: Mapping[str, Any], response: Any) -> Mapping[str, Any]:
    """The answers by question; the host puts them into its result, and may repeat them in the input."""
    for holder in (response, tool_input):
        answers = holder.get("answers") if isinstance(holder, Mapping) else None
        if isinstance(answers, Mapping):
            return answers
    return {}


def _items(value: Any) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else []
