"""The policy files that a Python agent names, read into one policy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from interlock.effects.classification.book import CallBook
from interlock.events.hook import Layer
from interlock.policy.hook_kind import HookServices
from interlock.policy.load import load_policy
from interlock.policy.locations import layer_of, locate
from interlock.policy.policy import Policy

PolicyPath: TypeAlias = str | os.PathLike[str] | tuple[Layer, str | os.PathLike[str]]


def read_policy(
    files: Iterable[PolicyPath], environ: Mapping[str, str] | None = None, *, book: CallBook | None = None
) -> Policy:
    """Load files into one policy; one named without its layer belongs to the layer of its place."""
    env = dict(os.environ if environ is None else environ)
    locations = locate(env, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())

    def layered(file: PolicyPath) -> tuple[Layer, Path]:
        if isinstance(file, tuple):
            return file[0], Path(file[1])
        # The absolute path: a relative one says nothing about the project folder it lies in.
        path = Path(file)
        return layer_of(path.absolute(), locations), path

    return load_policy(
        [layered(file) for file in files], environ=env, services=HookServices({CallBook: book})
    )
