"""Where Interlock does something else than one of the five documents says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final, Literal

import msgspec
from tests.requirements.ids import expand_all

# What each document is about, and the letter of the requirements drawn from it.
DOCUMENTS: Final = {
    "hooks.toml": "C",
    "genesis.key": "M",
    "redirect, nudge and session notes": "P",
    "sessions, efforts and tasks": "E",
    "schema guard, ledger and promise": "U",
}


class Departure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a document, what happens instead, and why."""

    document: Literal[
        "hooks.toml",
        "genesis.key",
        "redirect, nudge and session notes",
        "sessions, efforts and tasks",
        "schema guard, ledger and promise",
    ]
    ids: str
    says: str
    does: str
    because: str

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements that were drawn from the line."""
        return expand_all(self.ids)


class _Departures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    departure: list[Departure]


def _read() -> tuple[Departure, ...]:
    text = Path(__file__).with_name("departures.toml").read_text(encoding="utf-8")
    return tuple(msgspec.convert(tomllib.loads(text), _Departures).departure)


DEPARTURES: Final = _read()
