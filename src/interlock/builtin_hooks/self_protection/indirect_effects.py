"""What commands do beyond their plain effects: into folders, through links, to what others find."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote

from interlock.effects.command import Command
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.programs.lookup import base_name, find_program
from interlock.policy.protected_paths import HOST_FOLDERS, IN_HOST_FOLDERS

_READ, _WRITE, _DELETE = EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE
_ON_PATHS: Final = frozenset({_READ, _WRITE, _DELETE})
_COPIES: Final = frozenset({"cp", "mv", "install", "ln", "rsync", "scp", "gcp", "gmv", "gln", "ginstall"})
_WHOLE: Final = ("/", "/.", "/*")  # how the content of a folder is named, without the folder
_LINKS: Final = frozenset({"ln", "gln", "mount"})
_ARCHIVERS: Final = frozenset(
    {"tar", "bsdtar", "zip", "7z", "rsync", "cp", "scp", "cpio", "grep", "rg", "rclone"}
)
_DEEP: Final = re.compile(r"-[A-Za-z]*[rRa][A-Za-z]*|--recursive|--archive")
_ONTO: Final = re.compile(r"-[A-Za-z]*T[A-Za-z]*|--no-target-directory")
_ALWAYS_DEEP: Final = frozenset({"tar", "bsdtar", "zip", "7z", "rg", "rclone", "cpio"})
_FOLLOWED: Final = _COPIES | _LINKS | _ARCHIVERS
_ATTRIBUTES: Final = frozenset({"chattr", "chflags", "setfattr", "xattr", "chcon"})
_FINDERS: Final = frozenset({"find", "fd", "fdfind", "ls", "locate", "rg", "grep"})
# Of git, the commands that put other content into the files they are given.
_GIT: Final = frozenset({"checkout", "restore", "reset", "clean", "apply", "switch", "stash", "read-tree"})
_ADDRESS: Final = re.compile(r"(?i)\bfile:(?://(?:localhost(?=/))?)?([^?#]+)")
_SPELT: Final = re.compile(r"/[^\s$`{}'\"]+")
_HOME: Final = re.compile(r"^(?:~|\$HOME|\$\{HOME\})(?=/|$)")
# The files of a host's folder by their names, each with the folders it may lie in.
_SETTINGS: Final = {
    name: tuple(folder for folder, names in IN_HOST_FOLDERS.items() if name in names)
    for name in {
        one for names in IN_HOST_FOLDERS.values() for one in names if one.endswith((".json", ".toml"))
    }
}


def is_linked_settings(effect: Effect, cwd: str, project: str | None) -> bool:
    """Whether a file holds a host's settings, since the host's folder is a link to the one it lies in."""
    folders = _SETTINGS.get(effect.target.rpartition("/")[2].lower())
    if folders is None or "\0" in effect.target:
        return False
    real = Path(os.path.realpath(Path(effect.base or cwd or "/", effect.target)))
    roots = {str(real.parent.parent), cwd, project or cwd} - {""}
    inside = (f"{root}/{folder}/{real.name}" for root in roots for folder in folders)
    return any(os.path.realpath(path) == str(real) for path in inside)


def further_effects(
    commands: Sequence[Command], effects: Sequence[Effect], said: str, ours: Sequence[str]
) -> Sequence[Effect]:
    """Effects that only follow when the commands of a call are seen together; `said` is all their words.

    `ours` are the gate's places that a folder may have in it when its content is put above them.
    """
    found: list[Effect] = []
    named: list[Effect] = []  # what is not settled but has a beginning
    loose: set[str] = set()  # commands that change what is not settled
    for one in effects:
        if not one.known and one.kind in _ON_PATHS:
            if one.target:
                named.append(one)
            if one.kind is not _READ:
                loose.add(one.by)
    if named:
        found += (*_home_effects(named), *_spelled_paths(named))
    addressed = ":" in said
    for command in commands:
        words = command.words
        if not words:
            continue
        # What nearly every command is: of a program that does what its table says, with all of it settled.
        program, is_loose = find_program_name(words[0].text), command.written in loose
        is_plain = not (addressed or command.more or program.takes_anything or program.name in _FOLLOWED)
        # Not all of it is settled: it may change what it is given, or what another finds.
        opens = is_loose and ("{}" in command.written or _writes_operands(program.name, command))
        if is_plain and not opens:
            continue
        found += _command_effects(command, program, effects, ours, is_loose=is_loose)
    return found


class ProgramName(NamedTuple):
    """What the word before a command tells."""

    name: str  # without folders
    takes_anything: bool  # it may do anything to what it is given


@lru_cache(maxsize=4_096)
def find_program_name(word: str) -> ProgramName:
    """The program a word names; asked of every command, and a few names are most of them."""
    name = base_name(word)
    return ProgramName(name, name in _ATTRIBUTES or find_program(name) is None)


def _command_effects(
    command: Command, program: ProgramName, effects: Sequence[Effect], ours: Sequence[str], *, is_loose: bool
) -> Iterator[Effect]:
    name = program.name
    if name in _FOLLOWED:
        yield from _copy_effects(name, command, effects, ours)
    if program.takes_anything or (is_loose and _writes_operands(name, command)):
        yield from _operand_effects(command)
    if command.more or (is_loose and "{}" in command.written):
        found_by = (one for one in effects if one.kind is _READ and _program(one.by) in _FINDERS)
        yield from (as_found(_with_kind(_DELETE, one)) for one in found_by)
    for word in command.words[1:]:
        if ":" in word.text:
            yield from _address_effects(word, command)


def _spelled_paths(effects: Sequence[Effect]) -> Iterator[Effect]:
    """The paths that stand in a name only a shell can finish: `${x:-/state/interlock.db}`, `/state/$x`."""
    for one in effects:
        if one.kind is _READ:
            yield from (Effect(_READ, path, one.base, by=one.by) for path in _SPELT.findall(one.target))


def _address_effects(word: Word, command: Command) -> Iterator[Effect]:
    """A file named by its address, as `curl` and `sqlite3` take it."""
    found = _ADDRESS.search(word.text)
    if found is not None:
        yield Effect(_READ, unquote(found[1]), command.cwd, by=command.written)


def _copy_effects(
    name: str, command: Command, effects: Sequence[Effect], ours: Sequence[str]
) -> Iterator[Effect]:
    """What a program that copies, links or packs does with more than the files it names."""
    own = [one for one in effects if one.by == command.written]
    if name in _COPIES:
        yield from _folder_effects(own, onto=_is_onto(command))
        yield from _overlay_effects(own, ours, onto=_is_onto(command))
    if name in _LINKS:
        yield from _link_effects(own, replacing=name == "mount" or _keeps_link(command))
    if name in _ARCHIVERS and (
        name in _ALWAYS_DEEP or any(_DEEP.fullmatch(w.text) for w in command.words[1:])
    ):
        yield from _effects_below(own)


def as_found(effect: Effect) -> Effect:
    """A deletion of what a search finds: it means the folder searched, not what lies deeper in it."""
    if effect.kind is not _DELETE or _program(effect.by) not in _FINDERS or _is_host_folder(effect.target):
        return effect
    return _with_kind(_WRITE, effect)


def _home_effects(unsettled: Sequence[Effect]) -> Iterator[Effect]:
    """A home that a shell may or may not put in, as in `dd of=~/x`."""
    for one in unsettled:
        if one.target and _HOME.match(one.target):
            yield Effect(one.kind, _HOME.sub("~", one.target), one.base, by=one.by)


def _link_effects(own: Sequence[Effect], *, replacing: bool) -> Iterator[Effect]:
    """What is linked can be changed through the link; what a link is put over is gone."""
    for one in own:
        if one.kind is _READ:
            yield _with_kind(_WRITE, one)
        if _is_host_folder(one.target) and (
            one.kind is _READ or replacing or not os.path.isdir(_on_disk(one))
        ):
            yield _with_kind(_DELETE, one)


def _keeps_link(command: Command) -> bool:
    options = [word.text for word in command.words[1:] if word.text.startswith("-")]
    return any(
        "no-" in one or (one[1] != "-" and {"n", "T", "h"} & set(one)) for one in options if len(one) > 1
    )


def _is_onto(command: Command) -> bool:
    """Whether a copy takes the very name it is given, also where a folder of that name is there."""
    return any(_ONTO.fullmatch(word.text) for word in command.words[1:])


def _folder_effects(own: Sequence[Effect], *, onto: bool) -> Iterator[Effect]:
    """A copy into a folder writes a file of the source's name; a folder's content may be any file in it."""
    sources = [one for one in own if one.kind is _READ]
    for target in (one for one in own if one.kind is _WRITE):
        folder = target.target.rstrip("/") or "/"
        for source in sources:
            if _is_host_folder(folder):
                makes = onto or not os.path.isdir(_on_disk(target))
                if source.target.endswith(_WHOLE) or (makes and _brings_hooks(source, folder)):
                    yield _with_kind(_DELETE, target)
            name = source.target.rstrip("/").rpartition("/")[2]
            if name:
                inner = Effect(_WRITE, f"{folder}/{name}", target.base, by=target.by)
                yield inner
                if _is_host_folder(name) and _brings_hooks(source, name):
                    yield _with_kind(_DELETE, inner)


def _overlay_effects(own: Sequence[Effect], ours: Sequence[str], *, onto: bool) -> Iterator[Effect]:
    """The content of a folder, put into one above our places, writes those that it has as well."""
    contents = [one for one in own if one.kind is _READ and (onto or one.target.endswith(_WHOLE))]
    for target in own if contents else ():
        above = os.path.realpath(_on_disk(target)).rstrip("/") + "/"
        inside = [place for place in ours if target.kind is _WRITE and place.startswith(above)]
        for content in contents if inside else ():
            folder = _on_disk(content).removesuffix("*")
            for place in inside:
                if os.path.lexists(f"{folder}/{place.removeprefix(above)}"):
                    yield Effect(_WRITE, place, by=target.by)


def _brings_hooks(source: Effect, folder: str) -> bool:
    """Whether what is copied or moved there holds a host's hooks; what the call itself makes may hold any."""
    path = _on_disk(source)
    inner = IN_HOST_FOLDERS[folder.rpartition("/")[2].lower()]
    if os.path.isdir(path):
        return any(os.path.lexists(f"{path}/{name}") for name in inner)
    return not os.path.lexists(path)


def _on_disk(effect: Effect) -> str:
    target = effect.target
    if target.startswith("~/"):
        return f"{Path.home()}{target[1:]}"
    return f"{effect.base or ''}/{target}" if not target.startswith("/") else target


def _effects_below(own: Sequence[Effect]) -> Iterator[Effect]:
    """What is read with all that is in it: the file that is secret lies in one of the folders below."""
    for one in own:
        if one.kind is _READ and one.known:
            yield from (
                Effect(_READ, f"{one.target.rstrip('/')}/{tail}", one.base, by=one.by) for tail in _TAILS
            )


# From a folder above the ledger to the folder it is in.
_TAILS: Final = ("interlock", "state", "state/interlock", ".local/state/interlock")


def _operand_effects(command: Command) -> Iterator[Effect]:
    """What a program nobody knows is given: it may do anything to it."""
    for word in command.words[1:]:
        if word.fixed and not word.text.startswith("-") and "\n" not in word.text:
            kind = _DELETE if _is_host_folder(word.text) else _WRITE
            yield Effect(kind, word.text, command.cwd, by=command.written)


def _writes_operands(name: str, command: Command) -> bool:
    if name != "git":
        return name in {"tar", "bsdtar", "unzip", "7z", "cpio"}
    return any(word.text in _GIT for word in command.words[1:3])


def _is_host_folder(path: str) -> bool:
    return path.rstrip("/").rpartition("/")[2].lower() in HOST_FOLDERS


def _with_kind(kind: EffectKind, effect: Effect) -> Effect:
    return Effect(kind, effect.target, effect.base, effect.known, effect.by)


def _program(written: str) -> str:
    return base_name(written.split(None, 1)[0]) if written.strip() else ""
