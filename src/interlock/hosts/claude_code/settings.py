"""Whose settings: the files Claude Code reads its hooks from."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.files.own_files import mode_of, write_whole

MANAGED_LINUX: Final = Path("/etc/claude-code")
MANAGED_MACOS: Final = Path("/Library/Application Support/ClaudeCode")
LAUNCHER: Final = "interlock-launcher"
STATE: Final = ".claude.json"
UNHOOKING: Final = "CLAUDE_CODE_SIMPLE"  # with this variable older clients run no hooks of a user


class Scope(StrEnum):
    """Whom an entry is for; in the order of their precedence."""

    MANAGED = "managed"  # everybody on this machine
    LOCAL = "local"  # this person in this project
    PROJECT = "project"  # everybody in this project: the file is checked in
    USER = "user"  # this person in every project

    @property
    def shared(self) -> bool:
        """Whether others read the same file, so that no path of one person may stand in it."""
        return self in {Scope.MANAGED, Scope.PROJECT}


class SettingsPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where the settings of every scope are."""

    user: Path
    project: Path  # the project's folder
    managed: Path
    own: Path | None = None  # the client's own file, where the user's MCP servers stand

    @property
    def servers(self) -> Path:
        """Where the client reads the MCP servers of its user."""
        return self.own or self.user.parent / STATE

    def file(self, scope: Scope) -> Path:
        """The settings file of a scope."""
        return {
            Scope.USER: self.user / "settings.json",
            Scope.PROJECT: self.project / ".claude" / "settings.json",
            Scope.LOCAL: self.project / ".claude" / "settings.local.json",
            Scope.MANAGED: self.managed / "managed-settings.json",
        }[scope]

    def launcher(self, scope: Scope) -> Path:
        """The script that a shared scope's entries run."""
        return self.file(scope).with_name(LAUNCHER)


def settings_places(
    environ: Mapping[str, str], *, home: Path, cwd: Path, platform: str, managed: Path | None = None
) -> SettingsPlaces:
    """Find the settings as the client does."""
    own = environ.get("CLAUDE_CONFIG_DIR")
    system = MANAGED_MACOS if platform == "darwin" else MANAGED_LINUX
    return SettingsPlaces(
        user=cwd / own if own else home / ".claude",
        project=cwd,
        managed=managed or system,
        own=cwd / own / STATE if own else home / STATE,
    )


_BOM: Final = "\ufeff"
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\{\r?\n([ \t]+)\"")
_PRIVATE: Final = 0o600
_HOOKS: Final = "hooks"
MCP_SERVERS: Final = "mcpServers"
_OURS: Final = (_HOOKS, MCP_SERVERS)  # where something of ours may stand


class SettingsError(InterlockError):
    """A settings file that cannot be read, or that cannot take our entries."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One file as it stands; a file that is not there is empty."""

    path: Path
    text: str | None  # None: there is no such file
    document: JsonObject

    @property
    def hooks(self) -> JsonObject:
        """The hooks by event; empty if they are not an object."""
        return self.find_object(_HOOKS)

    def find_object(self, key: str) -> JsonObject:
        """The object under a key; empty for anything else."""
        value = self.document.get(key)
        return value if isinstance(value, dict) else {}

    def require_object(self, key: str) -> JsonObject:
        """The object under a key, empty if there is none; raise SettingsError for anything else."""
        value = self.document.get(key, {})
        if not isinstance(value, dict):
            raise SettingsError(f"`{key}` in `{self.path}` is not an object; correct it first")
        return value

    def unless_empty(self) -> Settings:
        """The same file, or no file if nothing is left in it."""
        return self if self.document else Settings(path=self.path, text=None, document={})

    def with_hooks(self, hooks: JsonObject) -> Settings:
        """The same file with other hooks; all text around them stays as it is. None are left out."""
        return self.with_member(_HOOKS, hooks if hooks or self.document.get(_HOOKS) == {} else None)

    def with_member(self, key: str, value: JsonObject | None) -> Settings:
        """The same file with another value under a key of the outermost object; None takes the key out."""
        document = copy.copy(self.document)
        document.pop(key, None)
        if value is not None:
            document = {**self.document, key: value}
        if document == self.document:
            return self
        return Settings(path=self.path, text=_change_text(self, document, key), document=document)


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the outermost object and where its text stands."""

    key: str
    start: int  # of the key
    value: int  # where its value starts
    end: int  # just after the value


def read_settings(path: Path) -> Settings:
    """Read a file; raise SettingsError with line and column when it is not a JSON object."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return Settings(path=path, text=None, document={})
    except UnicodeDecodeError as error:
        raise SettingsError(f"`{path}` is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise SettingsError(f"cannot read `{path}`: {reason}; check its permissions") from error
    return parse_settings(text, path)


def parse_settings(text: str, path: Path) -> Settings:
    """Settings from their text; `path` is what messages name."""
    return Settings(path=path, text=text, document=_object(text.removeprefix(_BOM), path))


def _object(text: str, path: Path) -> JsonObject:
    if not text.strip():
        return {}
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        words = error.msg[0].lower() + error.msg[1:]
        raise SettingsError(
            f"{where}: this is not JSON, so Claude Code skips the whole file: {words}; correct it there"
        ) from error
    except RecursionError as error:
        raise SettingsError(f"`{path}` is nested too deeply; correct it") from error
    if not isinstance(document, dict):
        raise SettingsError(f"`{path}` is not a JSON object; start it with `{{`")
    keys = [member.key for member in members(text)]
    for key in _OURS:
        if keys.count(key) > 1:
            raise SettingsError(
                f"`{path}` has the key `{key}` twice, and only the last counts; keep one of them"
            )
    return document


def members(text: str) -> list[Member]:
    """The keys of the outermost object of a valid text, in order."""
    found_members = []
    decoder = json.JSONDecoder()
    at = _after_blank(text, text.index("{") + 1)
    while text[at] != "}":
        start = at
        key, at = decoder.raw_decode(text, at)
        value = _after_blank(text, _after_blank(text, at) + 1)
        _, end = decoder.raw_decode(text, value)
        found_members.append(Member(key=key, start=start, value=value, end=end))
        at = _after_blank(text, end)
        at = _after_blank(text, at + 1) if text[at] == "," else at
    return found_members


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _change_text(settings: Settings, document: JsonObject, key: str) -> str:
    text = settings.text or ""
    bare = text.removeprefix(_BOM)
    if not bare.strip():
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    mark = _BOM if bare != text else ""
    if key not in settings.document:
        return mark + _insert(bare, key, document[key])
    here = next(member for member in members(bare) if member.key == key)
    if key not in document:
        return mark + _remove(bare, here)
    return mark + bare[: here.value] + _render(document[key], bare) + bare[here.end :]


def _render(value: Any, text: str) -> str:
    """A value of the outermost object, written in the style of the text around it."""
    indent = _INDENT.search(text)
    if indent is None and "\n" not in text.strip():
        return json.dumps(value, ensure_ascii=False)
    step = indent[1] if indent else "  "
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", newline + step)


def _insert(text: str, key: str, value: JsonObject) -> str:
    before = members(text)
    member = f'"{key}": {_render(value, text)}'
    indent = _INDENT.search(text)
    if not before:
        opened = text.index("{") + 1
        return f"{text[:opened]}\n  {member}\n{text[text.rindex('}') :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = f"{newline}{indent[1]}" if indent else (f"{newline}  " if "\n" in text.strip() else " ")
    end = before[-1].end
    return f"{text[:end]},{gap}{member}{text[end:]}"


def _remove(text: str, here: Member) -> str:
    """Take the member out with the comma that came with it."""
    every = members(text)
    index = every.index(here)
    if index > 0:
        return text[: every[index - 1].end] + text[here.end :]
    after = every[1].start if len(every) > 1 else text.rindex("}")
    begin = here.start if len(every) > 1 else text.index("{") + 1
    return text[:begin] + text[after:]


def write_settings(settings: Settings, *, mode: int = _PRIVATE) -> None:
    """Write the file; its permissions stay, and `mode` is for a new one."""
    content = (settings.text or "").encode("utf-8")
    write_whole(settings.path, content, mode=mode_of(settings.path, mode), follow=True)


def back_up(path: Path, now: datetime) -> Path | None:
    """Copy the file beside itself; an older copy is never written over."""
    if not path.exists():
        return None
    stamp = now.strftime("%Y%m%dT%H%M%S")
    names = (path.with_name(f"{path.name}.interlock-{stamp}{f'-{n}' if n else ''}.bak") for n in count())
    backup = next(name for name in names if not name.exists())
    write_whole(backup, path.read_bytes(), mode=mode_of(path, _PRIVATE), follow=True)
    return backup


def backups(path: Path) -> list[Path]:
    """Our copies of a file, the newest first."""
    copies = path.parent.glob(f"{_escape_glob(path.name)}.interlock-*.bak")
    return sorted(copies, key=lambda backup: (backup.stat().st_mtime_ns, backup.name), reverse=True)


def _escape_glob(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)
