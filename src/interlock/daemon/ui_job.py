"""What the daemon and the dashboard's process say to each other on its standard input and output."""

from __future__ import annotations

from typing import Final

import msgspec

LOG: Final = "dashboard.log"  # below the state folder
LINK: Final = b"\n"  # asks for the token of a link
KEY: Final = b"key\n"  # asks for a program's key


class UiJob(msgspec.Struct, frozen=True, kw_only=True):
    """The first line the process is given."""

    arguments: list[str]  # the daemon's places, as `Places.arguments` writes them
    port: int  # 0: any that is free
    person: str  # who is logged in by a link


class UiAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line it gives back: where it listens, then a token for each line it is given."""

    port: int = 0
    token: str = ""
    error: str = ""  # why it does not listen
