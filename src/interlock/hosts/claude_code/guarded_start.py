"""Finding Claude Code, and starting it with our hooks where no project can switch them off."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.files.system_programs import without_faults
from interlock.hosts.claude_code.entries import merge_entries
from interlock.hosts.claude_code.lint import find_voids
from interlock.hosts.claude_code.settings import UNHOOKING, SettingsError, parse_settings, read_settings

PROGRAM: Final = "claude"
_SETTINGS: Final = "--settings"
_SWITCH: Final = "disableAllHooks"
# Started so, the client runs none but managed hooks.
_BARE: Final = ("--bare", "--safe-mode")
_VARIABLES: Final = (UNHOOKING, "CLAUDE_CODE_SAFE_MODE")


# Where its own installers put it, which is not always on the PATH.
_PLACES: Final = (".local/bin/claude", ".claude/local/claude")


def find_program(environ: Mapping[str, str], home: Path) -> str | None:
    """The client's program: on the PATH, or where its installers put it; never one of the project."""
    on_path = shutil.which(PROGRAM, path=without_faults(environ.get("PATH", os.defpath)))
    installed = (str(home / place) for place in _PLACES)
    return on_path or next((path for path in installed if os.access(path, os.X_OK)), None)


def find_client(environ: Mapping[str, str], home: Path) -> str | None:
    """Where the client is: its program, else the folder of its settings."""
    folder = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    return find_program(environ, home) or (str(folder) if folder.is_dir() else None)


def guarded_arguments(
    arguments: Sequence[str], handlers: Mapping[str, JsonObject], *, environ: Mapping[str, str], cwd: Path
) -> list[str]:
    """The client's arguments with our settings before them; settings that are given are kept in ours."""
    options, behind = _split_options(arguments)
    _refuse_bare(options, environ)
    given_settings, rest = _take_settings(options)
    document = {} if given_settings is None else _document(given_settings, cwd)
    hooks = document.get("hooks", {})
    variables = document.get("env", {})
    settings = {
        **document,
        "hooks": merge_entries(hooks, handlers),
        _SWITCH: False,
        "env": {**variables, UNHOOKING: ""},
    }
    return [_SETTINGS, json.dumps(settings, separators=(",", ":")), *rest, *behind]


def _split_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options, and what stands behind `--`, which is none of them."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    return words[:end], words[end:]


def _refuse_bare(words: Sequence[str], environ: Mapping[str, str]) -> None:
    for option in _BARE:
        if option in words:
            raise InterlockError(f"`{option}` starts {PROGRAM} without hooks; leave it out")
    for name in _VARIABLES:
        if environ.get(name):
            raise InterlockError(f"`{name}` is set, and {PROGRAM} then runs no hooks; unset it")


def _take_settings(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The settings among the words, of which the client takes the last, and the words without any."""
    settings: str | None = None
    rest = []
    remaining = iter(words)
    for word in remaining:
        if word.startswith(f"{_SETTINGS}="):
            settings = word.removeprefix(f"{_SETTINGS}=")
        elif word == _SETTINGS:
            settings = next(remaining, None)
            if settings is None:
                raise InterlockError(f"`{_SETTINGS}` needs a file or a JSON object after it")
        else:
            rest.append(word)
    return settings, rest


def _document(text: str, cwd: Path) -> JsonObject:
    """Settings that are given as JSON or as a file; those the client would skip are refused."""
    if text.lstrip().startswith("{"):
        settings = parse_settings(text, Path(_SETTINGS))
    else:
        settings = read_settings(cwd / text)
        if settings.text is None:
            raise SettingsError(f"`{cwd / text}` does not exist; give {_SETTINGS} a file or a JSON object")
    for finding in find_voids(settings.document):
        raise SettingsError(f"`{settings.path}`: {finding.path}: {finding.message}")
    if settings.document.get(_SWITCH) is True:
        raise SettingsError(f"`{settings.path}` turns hooks off; remove `{_SWITCH}` there")
    return settings.document
