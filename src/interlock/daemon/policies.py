"""The policy of each project, loaded when its files change."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from interlock.actor import ActorMap
from interlock.config.layers import load_policy
from interlock.config.locations import policy_files
from interlock.config.policy import Policy
from interlock.engine import Engine
from interlock.errors import ConfigError
from interlock.once import OnceMemory
from interlock.source import Layer
from interlock.tool import ToolTable

_log: Final = logging.getLogger(__name__)
Files = Sequence[tuple[Layer, Path]]
Stamp = tuple[tuple[str, int, int, int], ...]
_MARKS: Final = (".interlock", ".git")


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A project's policy as it stands, with what is wrong with its files, if anything."""

    engine: Engine
    actors: ActorMap
    revision: str
    root: str
    problem: str | None = None  # why the newest files could not be used
    usable: bool = True  # False: no good revision has ever been loaded


class Policies:
    """Finds the policy for a folder; a broken change keeps the last good revision."""

    def __init__(
        self,
        layers: Sequence[tuple[Layer, Path]],
        tools: ToolTable,
        once: OnceMemory,
        environ: Mapping[str, str],
        alarm: Callable[[str, str], None],
    ) -> None:
        self._layers: Final = tuple(layers)  # managed and user folders
        self._tools: Final = tools
        self._once: Final = once
        self._environ: Final = dict(environ)
        self._alarm: Final = alarm
        self._cache: Final[dict[str, tuple[Stamp, Loaded]]] = {}
        self.newest = ""  # the revision loaded last

    def for_folder(self, cwd: str) -> Loaded:
        """The policy in force for an event's folder."""
        root = project_root(cwd)
        files = self._files()
        stamp = _stamp(files)
        cached = self._cache.get(root)
        if cached is not None and cached[0] == stamp:
            return cached[1]
        loaded = self._load(root, files, cached[1] if cached else None)
        self._cache[root] = (stamp, loaded)
        self.newest = loaded.revision
        return loaded

    @property
    def engines(self) -> list[Engine]:
        """Every engine in use."""
        return [loaded.engine for _, loaded in self._cache.values()]

    def _files(self) -> Files:
        return [(layer, path) for layer, folder in self._layers for path in policy_files(folder)]

    def _load(self, root: str, files: Files, before: Loaded | None) -> Loaded:
        try:
            policy = load_policy(files, environ=self._environ)
        except ConfigError as error:
            return self._broken(root, str(error), before)
        for notice in policy.notices:
            _log.info("%s", notice)
        _log.info("policy revision %s for %s: %d hooks", policy.revision, root or "/", len(policy.hooks))
        return self._good(root, policy, before)

    def _good(self, root: str, policy: Policy, before: Loaded | None) -> Loaded:
        engine = before.engine if before else Engine(tools=self._tools, once=self._once)
        engine.reload(policy.hooks, revision=policy.revision)
        return Loaded(engine=engine, actors=policy.actors, revision=policy.revision, root=root)

    def _broken(self, root: str, problem: str, before: Loaded | None) -> Loaded:
        _log.error("policy of %s cannot be used: %s", root or "/", problem)
        self._alarm(root, problem)
        if before is not None and before.usable:
            return msgspec.structs.replace(before, problem=problem)
        empty = before.engine if before else Engine(tools=self._tools, once=self._once)
        return Loaded(engine=empty, actors=ActorMap(), revision="", root=root, problem=problem, usable=False)


def project_root(cwd: str) -> str:
    """The nearest folder at or above `cwd` that is a project of its own; else `cwd` itself."""
    folder = cwd
    while folder and folder != os.sep:
        if any(os.path.lexists(f"{folder}/{mark}") for mark in _MARKS):
            return folder
        folder = os.path.dirname(folder)
    return cwd


def _stamp(files: Files) -> Stamp:
    """What tells one state of the files from another, cheap enough to ask at every event."""
    found = []
    for layer, path in files:
        try:
            status = os.stat(path)
        except OSError:
            continue
        found.append((f"{layer}:{path}", status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(found)
