"""Where policies and state live on this machine, and which project a folder belongs to."""

from __future__ import annotations

import hashlib
import os
import pwd
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from interlock.events.hook import Layer
from interlock.policy.files.document import OTHERS_FOLDER
from interlock.policy.files.read import FileKind

MANAGED: Final = Path("/etc/interlock")
SEARCH: Final = "search.db"  # below the state folder: the words of the ledger
_USUAL_STATE: Final = Path(".local", "state", "interlock")  # below the home the system knows for a user
_DIGITS: Final = 12  # of the digest in the folder of any other home
_PROJECT_FOLDERS: Final = frozenset({".interlock", ".mentu"})


class Locations(msgspec.Struct, frozen=True, kw_only=True):
    """Every place Interlock reads from or writes to."""

    managed_config: Path
    user_config: Path
    project_config: Path
    state: Path
    database: Path
    socket: Path
    log: Path

    @property
    def layers(self) -> tuple[tuple[Layer, Path], ...]:
        """The folders policies come from, in the order of their layers."""
        return (
            (Layer.MANAGED, self.managed_config),
            (Layer.USER, self.user_config),
            (Layer.PROJECT, self.project_config),
        )

    def policies(self) -> list[tuple[Layer, Path]]:
        """The policy files that exist, ready for `load_policy`."""
        return [(layer, path) for layer, folder in self.layers for path in policy_files(folder)]


def locate(environ: Mapping[str, str], *, home: Path, cwd: Path, uid: int) -> Locations:
    """Find every place; `INTERLOCK_HOME` moves all but the managed and the project's policy below itself."""
    own = environ.get("INTERLOCK_HOME")
    if own:
        base = cwd / own
        return _locations(cwd, base / "config", base / "state", base / "run")
    config = (_xdg(environ, "XDG_CONFIG_HOME") or home / ".config") / "interlock"
    state = (_xdg(environ, "XDG_STATE_HOME") or home / ".local" / "state") / "interlock"
    runtime = _xdg(environ, "XDG_RUNTIME_DIR")
    # Not a file we create in a shared place: the folder is private and its owner is checked on use.
    base, name = (runtime, "interlock") if runtime else (Path("/tmp"), f"interlock-{uid}")  # noqa: S108 - see above
    return _locations(cwd, config, state, base / f"{name}{_suffix(state, uid)}")


def is_run_folder(run: Path, state: Path, uid: int) -> bool:
    """Whether this is the socket's folder of the home with this state folder, and of no other home."""
    suffix = _suffix(state, uid)
    return run.name in {f"interlock{suffix}", f"interlock-{uid}{suffix}"}


def _suffix(state: Path, uid: int) -> str:
    """Nothing for the home the system knows for the user; for any other, a digest that keeps them apart."""
    try:
        usual = Path(pwd.getpwuid(uid).pw_dir) / _USUAL_STATE
    except KeyError:
        usual = None
    return "" if state == usual else f"-{hashlib.sha256(os.fsencode(state)).hexdigest()[:_DIGITS]}"


def policy_files(folder: Path) -> list[Path]:
    """The policy files of a folder that exist, `genesis.key` first."""
    # A link that leads nowhere is a policy that cannot be read, not the absence of one.
    return [folder / kind.value for kind in FileKind if os.path.lexists(folder / kind.value)]


def layer_of(path: Path, locations: Locations) -> Layer:
    """Tell whose a file is when a person names it by its path."""
    # `..` is taken out first, or `/etc/interlock/../../x` would count as managed.
    plain = Path(os.path.normpath(path))
    if plain.is_relative_to(locations.managed_config):
        return Layer.MANAGED
    return Layer.PROJECT if _PROJECT_FOLDERS & set(plain.parent.parts) else Layer.USER


def _locations(cwd: Path, config: Path, state: Path, run: Path) -> Locations:
    return Locations(
        managed_config=MANAGED,
        user_config=config,
        project_config=cwd / ".interlock",
        state=state,
        database=state / "interlock.db",
        socket=run / "interlock.sock",
        log=state / "interlock.log",
    )


def _xdg(environ: Mapping[str, str], name: str) -> Path | None:
    # The specification tells programs to ignore relative paths here.
    value = environ.get(name, "")
    return Path(value) if value.startswith("/") else None


POLICY_FOLDER: Final = ".interlock"
OTHERS_POLICY: Final = f"{OTHERS_FOLDER}/genesis.key"
POLICY_MARKS: Final = (POLICY_FOLDER, OTHERS_POLICY)
_MARKS: Final = (*POLICY_MARKS, ".git")


def project_root(cwd: str, known: Container[str] = ()) -> str:
    """The nearest folder at or above `cwd` that is a project of its own; else `cwd` itself."""
    return marked_root(cwd, known) or cwd


def marked_root(cwd: str, known: Container[str] = ()) -> str | None:
    """The nearest folder at or above `cwd` with a policy, a repository or a place in `known`."""
    for folder in folders_above(cwd):
        if folder in known or any(os.path.lexists(f"{folder}/{mark}") for mark in _MARKS):
            return folder
    return None


def way_to(cwd: str, root: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a real folder's root was found by: the folders it lies in, and the marks that were looked for."""
    ways = tuple(folders_above(cwd))
    looked = ways[: ways.index(root) + 1] if root else ways
    return ways, tuple(f"{folder}/{mark}" for folder in looked for mark in _MARKS)


def policy_folders(cwd: str, known: Container[str] = ()) -> list[str]:
    """Every folder at or above `cwd` that holds a policy or is in `known`, the outermost first.

    All of them, not the nearest: else a new `.interlock` or `.git` would lead out of the rules around it.
    """
    found = (
        folder
        for folder in folders_above(cwd)
        if folder in known or any(os.path.lexists(f"{folder}/{mark}") for mark in POLICY_MARKS)
    )
    return list(found)[::-1]


def folders_above(cwd: str) -> Iterator[str]:
    """`cwd` and the folders above it, without the root of the file system."""
    folder = cwd
    while folder and folder != os.sep:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
