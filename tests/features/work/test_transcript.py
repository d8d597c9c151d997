"""A transcript is read while it grows: each line once, in order, whatever is in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.messages import LONGEST, MOST, TranscriptMessage, read_on
from interlock.features.work.transcript import piece_from, tail


def user(text: Any, **more: Any) -> bytes:
    return line({"type": "user", "message": {"role": "user", "content": text}, **more})


def assistant(*blocks: dict[str, Any], **more: Any) -> bytes:
    return line({"type": "assistant", "message": {"role": "assistant", "content": list(blocks)}, **more})


def line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def write(folder: Path, *lines: bytes) -> str:
    file = folder / "t.jsonl"
    file.write_bytes(b"".join(lines))
    return str(file)


def spoken(path: str, offset: int = 0) -> list[tuple[str, str, str | None]]:
    return [(one.role, one.content, one.tool_name) for one in read_on(path, offset).messages]


# As a client of version 2.1.197 writes it, but for names and places.
REAL = (
    line({"type": "queue-operation", "operation": "enqueue", "sessionId": "s", "content": "go"}),
    user("go", parentUuid=None, isSidechain=False, timestamp="2026-11-16T15:31:55.259Z"),
    line(
        {"type": "attachment", "attachment": {"type": "skill_listing", "content": "…"}, "isSidechain": False}
    ),
    assistant({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}),
    assistant({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}),
    line(
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"tool_use_id": "toolu_1", "type": "tool_result", "content": "a.txt"}],
            },
            "toolUseResult": {"stdout": "a.txt"},
        }
    ),
    user("Caveat: …", isMeta=True),
    line({"type": "last-prompt", "lastPrompt": "go"}),
)


@pytest.mark.req("E53")
def test_a_real_transcript_becomes_messages(tmp_path: Path) -> None:
    """What people, the model and the tools said; nothing of what the client notes for itself."""
    path = write(tmp_path, *REAL)
    reading = read_on(path, 0)

    assert spoken(path) == [
        ("user", "go", None),
        ("assistant", "I look.", None),
        ("assistant", '{"command":"ls"}', "Bash"),
        ("tool", "a.txt", "Bash"),
    ]
    assert reading.messages[0].timestamp == "2026-11-16T15:31:55.259Z"
    assert (reading.offset, reading.broken, reading.more) == (Path(path).stat().st_size, 0, False)


@pytest.mark.req("E53")
def test_each_call_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    """Nothing twice, nothing lost."""
    path = write(tmp_path, user("one"))
    first = read_on(path, 0)
    assert read_on(path, first.offset).messages == ()
    with Path(path).open("ab") as file:
        file.write(user("two"))

    assert spoken(path, first.offset) == [("user", "two", None)]


def test_a_result_is_named_by_its_call_in_an_earlier_piece(tmp_path: Path) -> None:
    """A hook runs between the two, so most often they are read by different calls."""
    path = write(tmp_path, *REAL[:5])
    offset = read_on(path, 0).offset
    write(tmp_path, *REAL)

    assert spoken(path, offset) == [("tool", "a.txt", "Bash")]


@pytest.mark.req("E53")
def test_a_line_that_is_still_being_written_waits(tmp_path: Path) -> None:
    """Half of it is read as little as all of it without its end."""
    whole = user("näive")
    for cut in range(len(whole)):
        path = write(tmp_path, user("one"), whole[:cut])
        reading = read_on(path, 0)
        assert [said.content for said in reading.messages] == ["one"]
        assert reading.broken == 0
        with Path(path).open("ab") as file:
            file.write(whole[cut:])
        assert spoken(path, reading.offset) == [("user", "näive", None)]


@pytest.mark.req("E53")
def test_broken_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    """The rest goes on."""
    broken = (b"{\n", b"\xff\xfe\n", b"[1, 2]\n", b"nonsense\n", b"[" * 5000 + b"\n", b'{"a": "\0"}\n')
    path = write(tmp_path, user("one"), *broken, b"\n", b"  \n", user("two"))
    reading = read_on(path, 0)

    assert [said.content for said in reading.messages] == ["one", "two"]
    assert reading.broken == len(broken)


def test_entries_of_unexpected_shapes_say_nothing(tmp_path: Path) -> None:
    """Every member may be anything."""
    odd: list[Any] = [
        {},
        {"type": 7},
        {"type": "user"},
        {"type": "user", "message": "text"},
        {"type": "user", "message": {"content": None}},
        {"type": "user", "message": {"content": [7, None, {"type": "text"}, {"type": "text", "text": 7}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_result", "content": [{"a": 1}]}]}},
        {"type": "system", "content": {"a": 1}},
    ]
    reading = read_on(write(tmp_path, *map(line, odd)), 0)

    assert (reading.messages, reading.broken) == ((), 0)


def test_an_error_of_the_api_is_no_word_of_the_model(tmp_path: Path) -> None:
    """Nor is the summary of a compacted window one of the user's."""
    path = write(
        tmp_path,
        assistant({"type": "text", "text": "Prompt is too long"}, isApiErrorMessage=True),
        user("This session continues …", isCompactSummary=True),
        line({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}),
    )
    assert [role for role, _, _ in spoken(path)] == ["system", "system", "system"]


def test_a_long_message_keeps_its_head_and_tail(tmp_path: Path) -> None:
    """And says how much is missing."""
    (said,) = read_on(write(tmp_path, user("a" * LONGEST + "b" * LONGEST)), 0).messages

    assert said.content.startswith("aaa")
    assert said.content.endswith("bbb")
    assert f"{LONGEST:,} characters left out" in said.content


def test_a_call_reads_no_more_than_it_may(tmp_path: Path) -> None:
    """The next call goes on; every line comes once."""
    lines = [user(f"{n:04} {'x' * 90}") for n in range(200)]
    path = write(tmp_path, *lines)
    found: list[TranscriptMessage] = []
    offset, calls, more = 0, 0, True
    while more and calls < 100:
        reading = read_on(path, offset, most=2_000)
        found += reading.messages
        offset, more, calls = reading.offset, reading.more, calls + 1

    assert [said.content[:4] for said in found] == [f"{n:04}" for n in range(200)]
    assert calls > 10


def test_a_line_longer_than_a_call_may_read_is_passed_over(tmp_path: Path) -> None:
    """It is counted once, and what follows is read."""
    path = write(tmp_path, user("one"), user("x" * 5_000), user("two"))
    said, broken, offset = [], 0, 0
    for _ in range(20):
        reading = read_on(path, offset, most=1_000)
        said += [one.content for one in reading.messages]
        broken, offset = broken + reading.broken, reading.offset

    assert said == ["one", "two"]
    assert broken == 1
    assert offset == Path(path).stat().st_size


def test_a_file_that_became_shorter_is_read_from_its_new_end(tmp_path: Path) -> None:
    """It was written anew: an offset of the old one means nothing."""
    path = write(tmp_path, user("one"))
    assert read_on(path, 10_000).offset == Path(path).stat().st_size
    assert read_on(path, -1).messages == ()


def test_what_is_no_file_reads_as_nothing(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe nobody writes to, no path at all."""
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "missing"), str(tmp_path), str(tmp_path / "pipe"), "", "a\0b"):
        reading = read_on(path, 5)
        assert (reading.messages, reading.offset, reading.broken) == ((), 5, 0)
        assert tail(path, 100) == ()


def test_the_tail_holds_whole_lines_only(tmp_path: Path) -> None:
    """Neither the one it begins in nor the one that is being written."""
    path = write(tmp_path, b"first\n", b"second\n", b"third\n", b"four")

    assert tail(path, 1_000) == (b"first", b"second", b"third")
    assert tail(path, 13) == (b"third",)
    assert tail(path, 3) == ()


def test_a_file_of_two_hundred_megabytes_is_read_in_pieces_of_the_same_size(tmp_path: Path) -> None:
    """A call's work is bounded by what it may read, wherever in the file it stands."""
    path = tmp_path / "large.jsonl"
    block = b"".join(user(f"{n} {'x' * 1_000}") for n in range(2_000))
    with path.open("wb") as file:
        file.write(block)
        file.truncate(200_000_000)  # a hole: one line nobody could wait for
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + user("last"))
    first = read_on(str(path), 0)
    last = read_on(str(path), 200_000_001)
    inside = read_on(str(path), 100_000_000)

    assert MOST - 2_000 < first.offset <= MOST
    assert first.more
    assert [said.content for said in last.messages] == ["last"]
    assert (inside.offset, inside.messages) == (100_000_000 + MOST, ())
    assert tail(str(path), 1_000)[-1] == user("last").strip()


@given(
    texts=st.lists(st.text(max_size=40), max_size=8),
    noise=st.lists(st.binary(max_size=30), max_size=4),
    most=st.integers(700, 2_000),
    cuts=st.lists(st.integers(0, 3_000), max_size=4),
)
@settings(max_examples=50, deadline=None)
def test_however_it_grows_every_word_is_read_once(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    noise: list[bytes],
    most: int,
    cuts: list[int],
) -> None:
    """Written in any pieces, with anything between the lines, and read after each piece."""
    said = [text for text in texts if text.strip()]
    junk = [b"!" + one.replace(b"\n", b"") + b"\n" for one in noise]  # never JSON
    lines = [user(text) for text in said]
    whole = b"".join(one + two for one, two in zip(lines, [*junk, *[b""] * len(lines)], strict=False))
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    found: list[str] = []
    broken = offset = 0
    for end in [*sorted(min(cut, len(whole)) for cut in cuts), *[len(whole)] * 12]:
        path.write_bytes(whole[:end])
        reading = read_on(str(path), offset, most=most)
        found += [one.content for one in reading.messages]
        broken, offset = broken + reading.broken, reading.offset

    assert found == said
    assert broken == min(len(junk), len(lines))


def test_a_piece_says_whether_there_is_more(tmp_path: Path) -> None:
    """So that a caller can go on at once."""
    path = write(tmp_path, b"one\n", b"two\n")

    assert piece_from(path, 0, 5).more
    assert not piece_from(path, 0, 100).more
