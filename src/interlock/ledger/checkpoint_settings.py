"""`settings.checkpoints`: signing the ledger's end by itself, into a folder that is elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.events.source import Layer
from interlock.policy.files.problems import Findings
from interlock.policy.format.entry import Text

_PATH: Final = ("settings", "checkpoints")
_EVERY: Final = 1_000


class CheckpointSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where checkpoints are put, and how often."""

    folder: (
        Annotated[Text, Meta(description="A folder on another disk or machine; absolute, or below `~/`.")]
        | UnsetType
    ) = UNSET
    every_entries: (
        Annotated[int, Meta(gt=0, description="A checkpoint after this many entries; 1000 by default.")]
        | UnsetType
    ) = UNSET

    noun: ClassVar = "setting"


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True):
    """What is done by itself."""

    folder: str
    every: int


def checkpoints_of(files: Iterable[tuple[Layer, CheckpointSettings, Findings]]) -> Checkpoints | None:
    """The first layer that says something stands; a project has no say about a person's disks."""
    chosen: Checkpoints | None = None
    for layer, settings, findings in files:
        if settings == CheckpointSettings():
            continue
        if not layer.trusted:
            message = "only the managed or user layer may say where checkpoints are put; move it there"
            findings.problem(_PATH, message)
        elif (folder := _folder(settings, findings)) is not None and chosen is None:
            every = settings.every_entries
            chosen = Checkpoints(folder=folder, every=_EVERY if every is UNSET else every)
    return chosen


def _folder(settings: CheckpointSettings, findings: Findings) -> str | None:
    if settings.folder is UNSET:
        findings.problem(_PATH, "the key `folder` is missing; name a folder that is not on this disk")
        return None
    folder = os.path.expanduser(settings.folder)  # noqa: PTH111 - a text until it is used
    if not os.path.isabs(folder):  # noqa: PTH117 - the same
        message = f"`{settings.folder}` depends on where one stands; write it from `/` or `~/` on"
        findings.problem((*_PATH, "folder"), message)
        return None
    return folder
