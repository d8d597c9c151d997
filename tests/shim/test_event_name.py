"""Laws of the shim's own reading of an event's name, against a whole JSON parser."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.deep

Read = Literal["closed", "open", "unread"]
KEY = "hook_event_name"
NAMES = ("PreToolUse", "Stop")


def read_by(shim: Path, payload: bytes) -> Read:
    """How the shim takes an event when it finds no launch file; any other end fails."""
    done = subprocess.run(
        [shim, "--home", "/nonexistent"], input=payload, capture_output=True, timeout=60, check=False
    )
    found = (done.returncode, bool(done.stdout), bool(done.stderr))
    reads: dict[tuple[int, bool, bool], Read] = {
        (0, True, False): "closed",
        (0, False, False): "open",
        (2, False, True): "unread",
    }
    assert found in reads, done
    return reads[found]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"hook_event_name":"Stop"}', "open"),
        (' {\n"hook_event_name" :\t"Stop" }\r\n', "open"),
        ('{"a":{"hook_event_name":"Stop"},"hook_event_name":"PreToolUse"}', "closed"),
        ('{"hook_event_name":"PreToolUse","a":{"hook_event_name":"Stop"}}', "closed"),
        ('{"a":"\\",\\"hook_event_name\\":\\"Stop\\"","hook_event_name":"PreToolUse"}', "closed"),
        ('{"a":"\\\\","hook_event_name":"Stop"}', "open"),
        ('{"a":["]","}",{"b":"{"}],"hook_event_name":"Stop"}', "open"),
        ('{"a":{"hook_event_name":"Stop"}}', "unread"),
        ('[{"hook_event_name":"Stop"}]', "unread"),
        ('{"hook_event_name":"Stop","hook_event_name":"Stop"}', "unread"),
        ('{"hook_event_name":"PreToolUse","hook_event_name":"Stop"}', "unread"),
        ('{"hook_event_name":"PreToolUse","hook\\u005fevent_name":"Stop"}', "unread"),
        ('{"hook_event_name":"St\\u006fp"}', "unread"),
        ('{"hook_event_name":["Stop"]}', "unread"),
        ('{"hook_event_name":null}', "unread"),
        ('{"hook_event_name":""}', "unread"),
        ('{"hook_event_name":"Stop"', "unread"),
        ('{"hook_event_name":"Stop"}x', "unread"),
        ('{"hook_event_name":"Stop"}{"hook_event_name":"PreToolUse"}', "unread"),
        ('{"hook_event_name":"Stop",}', "unread"),
        ('{"hook_event_name":"Stop","a":[}', "unread"),
        ('{"hook_event_name":"Stop","a":{"b":]}', "unread"),
        ('{"hook_event_name":"Stop" "a":1}', "unread"),
        ("{'hook_event_name':'Stop'}", "unread"),
        ('{"hook_event_name":"Stop\n"}', "unread"),
        ('{"hook_event_name":"' + "A" * 64 + '"}', "unread"),
        ('{"hook_event_name":"Stop","a":' + "[" * 4_096 + "]" * 4_096 + "}", "open"),
        ('{"hook_event_name":"Stop","a":' + "[" * 100_000 + "]" * 100_000 + "}", "unread"),
        ('{"hook_event_name":"Stop","a":' + "]" * 9 + "}", "unread"),
    ],
)
def test_only_the_one_plain_name_at_the_top_counts(checked_shim: Path, text: str, read: Read) -> None:
    """Nested, quoted, doubled and disguised names are not names."""
    assert read_by(checked_shim, text.encode()) == read


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from([KEY, *NAMES]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just(KEY), inner),
    max_leaves=8,
)
keys = st.text(st.characters(codec="utf-8", exclude_characters='"\\', min_codepoint=32)) | st.just(KEY)
documents = st.dictionaries(keys, values | st.sampled_from(NAMES))


@settings(max_examples=150, deadline=None)
@given(document=documents, indent=st.sampled_from([None, 1]))
def test_it_agrees_with_a_json_parser(shim: Path, document: dict[str, object], indent: int | None) -> None:
    """For every document whose keys are written plainly both read the same name."""
    name = document.get(KEY)
    plain = isinstance(name, str) and name.isascii() and name.isalpha() and len(name) < 64
    expected: Read = (
        "unread" if not plain else "closed" if name in {"PreToolUse", "PermissionRequest"} else "open"
    )

    assert (
        read_by(shim, json.dumps(document, indent=indent, ensure_ascii=False).encode(errors="replace"))
        == expected
    )


def test_no_bytes_make_it_fail(checked_shim: Path) -> None:
    """Noise, and events with noise in them, end in one of the three readings."""
    noise = random.Random(20)
    whole = b'{"a":[1,{"b":"\\"x"}],"hook_event_name":"PreToolUse"}'
    for _ in range(40):
        start = noise.randrange(len(whole))
        read_by(checked_shim, noise.randbytes(noise.randrange(200)))
        read_by(checked_shim, whole[:start] + noise.randbytes(noise.randrange(4)) + whole[start + 1 :])
        read_by(checked_shim, bytes(noise.choice(b'{}[]",:\\ aS\n') for _ in range(noise.randrange(60))))
