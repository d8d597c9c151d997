"""`settings.model`: the model that hooks of type `prompt` and `agent` ask, and where its key is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from interlock.errors import FailureKind, HookFailedError
from interlock.files.own_files import read_private
from interlock.policy.format.address import (
    ONE_VARIABLE,
    VARIABLE,
    AddressForm,
    address_fault,
    expanded,
    file_fault,
    form_fault,
)
from interlock.policy.format.entry import Text, about
from interlock.policy.settings_part import FileSettings, SettingsPart, first_words, trusted

ADDRESS: Final = "https://api.anthropic.com"
MODEL: Final = "claude-haiku-5-5"  # small and quick: a hook is waited for
KEY_ENV: Final = "ANTHROPIC_API_KEY"
TOKENS_PER_DAY: Final = 2_000_000
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST: Final = 4096  # bytes of a key
_NO_KEY: Final = "unused"  # a server on this machine may want none, but the client sends something


class ModelPlace(msgspec.Struct, frozen=True, kw_only=True):
    """What hooks that ask a model are given; no key is in it."""

    base_url: str = ADDRESS
    model: str = MODEL
    key_env: str = KEY_ENV
    key_file: str | None = None
    tokens_per_day: int = TOKENS_PER_DAY  # all hooks together, what is sent and what is answered

    def key(self, environ: Mapping[str, str]) -> str:
        """The key, read when it is needed; raise HookFailedError when there is none."""
        if self.key_file is not None:
            return _from_file(self.key_file)
        found = environ.get(self.key_env, "").strip()
        if found:
            return found
        if is_loopback(self.base_url):
            return _NO_KEY
        raise HookFailedError(
            FailureKind.SPAWN,
            f"there is no key for the model: `{self.key_env}` is not set for the daemon; put the key into "
            "a file and name it in `settings.model.key_file`",
        )


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def _from_file(name: str) -> str:
    try:
        text = read_private(Path(name), _LONGEST).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a key"
        message = (
            f"cannot read the model's key from `{name}`: {reason}; only you may be able to read the file "
            "(0600)"
        )
        raise HookFailedError(FailureKind.SPAWN, message) from None
    if not text:
        raise HookFailedError(FailureKind.SPAWN, f"`{name}` is empty; write the model's key into it")
    return text


_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}")
_FORM: Final = AddressForm(
    schemes=frozenset({"http", "https"}),
    noun="a web address",
    example="https://models.example",
    advice="put the key into a file and name it in `key_file`",
)


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model to ask: which, where, with which key, and how much."""

    base_url: (
        Annotated[Text, about("A server with the Anthropic Messages API; default: Anthropic's.")] | UnsetType
    ) = UNSET
    model: Annotated[Text, about("The model's name; default: a small, fast one.")] | UnsetType = UNSET
    key_env: Annotated[Text, about("The daemon's environment variable that holds the key.")] | UnsetType = (
        UNSET
    )
    key_file: (
        Annotated[Text, about("A file that holds the key and that only you can read (0600).")] | UnsetType
    ) = UNSET
    tokens_per_day: (
        Annotated[int, about("The most tokens all hooks together may use in a day: 2000000.", ge=0)]
        | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


def _merge(files: Iterable[FileSettings[ModelSettings]]) -> ModelPlace:
    """What all files together say: an earlier layer's word stands, and a project has none."""
    said: list[ModelSettings] = []
    for file in trusted(files, "name the model to ask"):
        for key, fault in _faults(file.written):
            file.problem(fault, key)
        said.append(file.written)
    chosen = first_words(said)
    if "key_file" in chosen:
        chosen["key_file"] = expanded(chosen["key_file"])
    return msgspec.convert(chosen, ModelPlace)


def _faults(settings: ModelSettings) -> list[tuple[str, str]]:
    found = (
        ("base_url", _address_fault(settings.base_url)),
        ("model", form_fault(settings.model, _MODEL, "the name of one model")),
        ("key_env", form_fault(settings.key_env, VARIABLE, ONE_VARIABLE)),
        ("key_file", file_fault(settings.key_file, settings.key_env, "key_env", "key")),
    )
    return [(key, fault) for key, fault in found if fault]


def _address_fault(url: str | UnsetType) -> str | None:
    """What is wrong with the address of a model."""
    if url is UNSET:
        return None
    if fault := address_fault(url, _FORM):
        return fault
    if urlsplit(url).scheme == "http" and not is_loopback(url):
        return "the key would be sent unencrypted; write `https`"
    return None


ASKED_MODEL: Final = SettingsPart(key="model", default=ModelSettings(), merge=_merge)
