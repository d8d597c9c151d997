"""The content of a policy file, shown under the path it came from."""

from __future__ import annotations

from pathlib import Path

import msgspec


class PolicyText(msgspec.Struct, frozen=True, kw_only=True):
    """A policy whose content is at hand, perhaps from an earlier day than the file."""

    shown: Path  # in errors, traces and sources
    content: bytes
    folder: str | None = None  # where its commands run; None: where the event happened
    search: str | None = None  # the PATH of its commands; None: that of the environment
    tightening_only: bool = False  # True: nothing of it runs or changes anything, it can only deny
