"""What the daemon and the dashboard's process say to each other on its standard input and output."""

from __future__ import annotations

from typing import Final

import msgspec

LOG: Final = "dashboard.log"  # below the state folder
LINK: Final = b"link "  # asks for the token of a link, for the person who is named behind it
KEY: Final = b"key "  # asks for a program's key, for them


class UiJob(msgspec.Struct, frozen=True, kw_only=True):
    """The first line the process is given."""

    arguments: list[str]  # the daemon's places, as `Places.arguments` writes them
    port: int  # 0: any that is free


class UiAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line it gives back: where it listens, then a token for each line it is given."""

    port: int = 0
    token: str = ""
    error: str = ""  # why it does not listen
