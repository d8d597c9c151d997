"""Which model is asked, where, with whose key and up to how many tokens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from interlock.errors import FailureKind, HookFailedError
from interlock.files.own_files import read_private

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
            f"the model has no key: `{self.key_env}` is not set for the daemon; "
            "put the key into a file and name that by `settings.model.key_file`",
        )


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def _from_file(name: str) -> str:
    try:
        text = read_private(Path(name), _LONGEST).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no key"
        message = f"the model's key cannot be read from `{name}`: {reason}; it must be yours alone (0600)"
        raise HookFailedError(FailureKind.SPAWN, message) from None
    if not text:
        raise HookFailedError(FailureKind.SPAWN, f"`{name}` is empty; write the model's key into it")
    return text
