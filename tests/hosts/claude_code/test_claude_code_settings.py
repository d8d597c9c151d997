"""A settings file changes where its hooks stand, and nowhere else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from interlock.hosts.claude_code.settings import (
    Settings,
    SettingsError,
    back_up,
    backups,
    members,
    read_settings,
    write_settings,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOOKS: dict[str, Any] = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
TEXTS = [
    "{}",
    "{ }\n",
    '{"a": 1}',
    '{"a":1,"b":[1,2]}\n',
    '{\n  "a": 1\n}\n',
    '{\n    "a": {"x": [1, 2]},\n    "b": "ü"\n}',
    '{\n\t"a": 1,\n\t"b": 2\n}\n',
    '{\r\n  "a": 1\r\n}\r\n',
    '\ufeff{\n  "a": 1\n}\n',
    '{"a": "}", "b": "\\"hooks\\": {}"}',
]


def settings(folder: Path, text: str) -> Settings:
    """A file with this text, read."""
    file = folder / "settings.json"
    file.write_bytes(text.encode())
    return read_settings(file)


@pytest.mark.parametrize("text", TEXTS)
def test_hooks_put_in_and_taken_out_leave_the_meaning(tmp_path: Path, text: str) -> None:
    """With hooks the file holds them and all it held before, in order; without them, what it held."""
    before = settings(tmp_path, text)

    after = before.with_hooks(HOOKS)
    again = settings(tmp_path, after.text or "")
    without = again.with_hooks({})

    assert json.dumps(again.document) == json.dumps({**before.document, "hooks": HOOKS})
    assert json.loads((without.text or "").removeprefix("\ufeff")) == before.document


@pytest.mark.parametrize("text", [text for text in TEXTS if len(text) > 5])
def test_all_text_around_the_hooks_stays(tmp_path: Path, text: str) -> None:
    """What a person wrote is there to the byte; only its last brace has moved."""
    after = settings(tmp_path, text).with_hooks(HOOKS).text or ""

    assert after.startswith(text[: text.rindex("}")].rstrip())


@pytest.mark.parametrize(
    "text", ['{"hooks": {}, "b": 2}', '{\n  "a": 1,\n  "hooks": {"Stop": []},\n  "b": 2\n}\n']
)
def test_hooks_that_are_there_are_replaced_in_their_place(tmp_path: Path, text: str) -> None:
    """The order of keys stays."""
    before = settings(tmp_path, text)

    after = before.with_hooks(HOOKS)

    assert list(json.loads(after.text or "")) == list(before.document)
    assert after.hooks == HOOKS


def test_the_style_is_kept(tmp_path: Path) -> None:
    """Tabs stay tabs, and letters of any language stay letters."""
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "écho"}]}]}

    text = settings(tmp_path, '{\n\t"a": 1\n}\n').with_hooks(hooks).text or ""

    assert '\n\t"hooks": {\n\t\t"Stop": [\n' in text
    assert "écho" in text


def test_the_same_hooks_change_nothing(tmp_path: Path) -> None:
    """Whatever the style, the text is not touched."""
    before = settings(tmp_path, '{"hooks":{"Stop":[]}  ,"a":1}')

    assert before.with_hooks({"Stop": []}) is before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "a": 1\n  "b": 2}', r"settings.json:3:3: .*not JSON"),
        ('{\n  "a": 1,\n}', r"settings.json:(?:3:1|2:9): .*not JSON"),  # since 3.13 Python names the comma
        ("// hello\n{}", r"settings.json:1:1"),
        ('{"a": 1', r"settings.json:1:8"),
        ("[]", "not a JSON object"),
        ("nonsense", "not JSON"),
        ('{"hooks": {}, "hooks": {}}', "twice"),
        ("[" * 100_000, "nested|no JSON"),
    ],
)
def test_a_malformed_file_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """Line and column, and no traceback."""
    with pytest.raises(SettingsError, match=message):
        settings(tmp_path, text)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    """Guessing would write something else back."""
    file = tmp_path / "settings.json"
    file.write_bytes('{"a": "ü"}'.encode("latin-1"))

    with pytest.raises(SettingsError, match="UTF-8"):
        read_settings(file)


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_missing_or_empty_file_has_no_settings(tmp_path: Path, text: str | None) -> None:
    """It can be written to."""
    found = read_settings(tmp_path / "none") if text is None else settings(tmp_path, text)

    assert found.document == {}
    assert json.loads(found.with_hooks(HOOKS).text or "") == {"hooks": HOOKS}


def test_members_are_found_whatever_their_values_hold() -> None:
    """Braces, commas and quotes inside values are not structure."""
    text = '{ "a" : {"b": [",", "}"]} ,\n"c\\"d": "{" }'

    found = [(member.key, text[member.value : member.end]) for member in members(text)]

    assert found == [("a", '{"b": [",", "}"]}'), ('c"d', '"{"')]


def test_writing_keeps_the_mode_and_a_new_file_is_private(tmp_path: Path) -> None:
    """Permissions are the person's business."""
    old = settings(tmp_path, "{}")
    old.path.chmod(0o640)

    write_settings(old.with_hooks(HOOKS))
    write_settings(read_settings(tmp_path / "new").with_hooks(HOOKS))

    assert old.path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


def test_backups_are_never_written_over(tmp_path: Path) -> None:
    """Two in one second are two files, the newest first."""
    first = settings(tmp_path, "{}")
    one = back_up(first.path, NOW)
    settings(tmp_path, '{"a": 1}')
    two = back_up(first.path, NOW)

    assert one is not None
    assert one.name == "settings.json.interlock-20260102T030405.bak"
    assert one.read_text() == "{}"
    assert backups(first.path) == [two, one]
    assert back_up(tmp_path / "none", NOW) is None
