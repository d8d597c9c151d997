"""The effects of a program on paths, hosts and variables, by the roles of its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from os.path import join, normpath
from typing import Final
from urllib.parse import unquote

from interlock.effects.command import GapKind
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.paths.path import SHARED_MEMORY
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Arguments, Flag, Operand, Program, Role, words_with
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings, env_effect, find_paths
from interlock.effects.shell.names import is_command_line, is_run_later
from interlock.effects.shell.redirects import WRITING_TEXT, note_written
from interlock.effects.shell.scope import MadeFile, Scope
from interlock.effects.tool_fields import host_name

_FILE: Final = re.compile(r"file:(?://[^/]*)?(?P<path>.*)", re.DOTALL | re.IGNORECASE)
_REMOTE: Final = re.compile(r"(?:[^/@:\s]+@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/@:\s]+):.*", re.DOTALL)


def host_of(text: str) -> str | None:
    """Return the normalized host, None for what looks like a local path."""
    host = _parse_host(text)
    return host_name(host) or None if host else None


def _parse_host(text: str) -> str | None:
    if "://" in text:
        rest = text.partition("://")[2]
    elif text.startswith(("/", "./", "../", "~")) or text in {".", ".."}:
        return None
    elif remote := _REMOTE.fullmatch(text):
        return remote["host"].strip("[]")
    else:
        rest = text
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0].rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def local_path(text: str) -> str | None:
    """Return the file that a `file:` address names, None for any other address."""
    match = _FILE.fullmatch(text)
    return unquote(match["path"]) if match else None


# Module names are looked up faster than class members.
_TEXT, _NETWORK, _ENV = Role.TEXT, Role.NETWORK, Role.ENV
_SOURCES: Final = ("src=", "source=")
_PATH_STARTS: Final = ("/", ".", "~", "$")
_READ_ONLY: Final = frozenset({"ro", "readonly", "readonly=true", "ro=true"})
_PATHS: Final = {
    Role.READ: (EffectKind.READ,),
    Role.WRITE: (EffectKind.WRITE,),
    Role.EDIT: (EffectKind.READ, EffectKind.WRITE),
    Role.DELETE: (EffectKind.DELETE,),
    Role.MOVE: (EffectKind.READ, EffectKind.DELETE),
    Role.SCRIPT: (EffectKind.READ,),
}

_CHANGING: Final = frozenset({Role.WRITE, Role.EDIT, Role.DELETE, Role.MOVE})


def note_consequences(
    operands: Sequence[Operand],
    flags: Sequence[Flag],
    entry: Program,
    scope: Scope,
    findings: Findings,
    by: str,
) -> bool:
    """Note all effects of the words of a command; return whether its output comes from the network."""
    calm = bool(flags) and _note_flags(flags, scope, findings, by)
    named = False
    for operand in operands:
        role = operand.role
        if role is not _TEXT:
            named = named or role is _NETWORK
            _note(role, operand.word, scope, findings, by)
    if entry.start and all(operand.role is _TEXT for operand in operands):
        changed = [flag.option.operands for flag in flags if flag.option and flag.option.operands]
        _note(changed[-1] if changed else entry.rest or _TEXT, Word(entry.start), scope, findings, by)
    if entry.name in WRITING_TEXT and note_written(operands, flags, by, scope):
        findings.unsettled += 1
    if not entry.does:
        return named
    for role in entry.does if not calm else ():
        if role is not _NETWORK or not named:
            _note_unnamed(role, findings, by)
    return named or _NETWORK in entry.does


def _note_flags(flags: Sequence[Flag], scope: Scope, findings: Findings, by: str) -> bool:
    """Note the effects of options; return whether one of them removes the unnamed effects."""
    calm = False
    for flag in flags:
        option = flag.option
        if option is None:
            continue
        calm = calm or option.calms
        if option.does is not None:
            _note_unnamed(option.does, findings, by)
        if option.value is not None and flag.value is not None:
            _note(option.value, flag.value, scope, findings, by)
            if option.power and option.value is Role.WRITE:  # it may be run later
                scope.make(flag.value.text, MadeFile(content=Feed(FeedKind.OPEN, by)))
            if option.attached and option.operands is Role.WRITE:  # `sed -i.bak` also writes a copy
                _note_unnamed(Role.WRITE, findings, by)
    return calm


def note_looks(arguments: Arguments, entry: Program, scope: Scope, findings: Findings, by: str) -> bool:
    """Note what a command reads that only shows something; return whether that comes from the network."""
    for flag in arguments.flags:
        if flag.option is not None and flag.option.value is not None and flag.value is not None:
            _note(flag.option.value, flag.value, scope, findings, by)
    named = False
    for operand in arguments.operands:
        named = named or operand.role is _NETWORK
        _note(Role.READ if operand.role in _CHANGING else operand.role, operand.word, scope, findings, by)
    if _NETWORK in entry.does and not named:
        _note_unnamed(_NETWORK, findings, by)
    return named or _NETWORK in entry.does


def note_downloads(arguments: Arguments, scope: Scope, by: str) -> bool:
    """Note downloaded files, since they may be run later; return whether there are any."""
    made = MadeFile(content=Feed(FeedKind.OPEN, by, network=True))
    any_made = False
    for flag in arguments.flags:
        if flag.option is not None and flag.option.value is Role.WRITE and flag.value is not None:
            scope.make(flag.value.text, made)
            any_made = True
    for operand in arguments.operands:
        if operand.role is Role.WRITE:
            scope.make(operand.word.text, made)
            any_made = True
        elif operand.role is _NETWORK and "/" in operand.word.text:
            scope.make(operand.word.text.rstrip("/").rpartition("/")[2].partition("?")[0], made)
            any_made = True
    return any_made


def find_mounts(word: Word) -> Iterator[tuple[EffectKind, Word]]:
    """Yield what a container may read and write by `-v HOST:PATH:ro` or `--mount src=HOST,…`."""
    text = word.text
    parts = text.split(",")
    source = next((part.partition("=")[2] for part in parts if part.startswith(_SOURCES)), None)
    options = parts
    if source is None:
        source, *options = text.split(":")
        if not options:
            return  # a volume without a name
    if not source.startswith(_PATH_STARTS):
        return  # one with a name
    # Only the folder itself: a rule about everything in it applies, a rule about one of its files does not.
    yield EffectKind.READ, Word(source, word.fixed)
    secret = any(part.startswith("id=") for part in parts)
    if not secret and _READ_ONLY.isdisjoint(options):
        yield EffectKind.WRITE, Word(source, word.fixed)


def _note_unnamed(role: Role, findings: Findings, by: str) -> None:
    """Note an effect whose target the words do not name."""
    for kind in _PATHS.get(role) or (EffectKind.NETWORK if role is _NETWORK else EffectKind.RUN,):
        findings.effects.append(Effect(kind, "", None, False, by))


def _note(role: Role, word: Word, scope: Scope, findings: Findings, by: str) -> None:
    kinds = _PATHS.get(role)
    if kinds is not None:
        for kind in kinds:
            findings.path(kind, word, scope, by)
        if "://" in word.text:  # some programs take a path or an address
            _note_address(word, scope, findings, by)
    elif role is _NETWORK:
        _note_address(word, scope, findings, by)
    elif role is Role.MOUNT:
        for kind, path in find_mounts(word):
            findings.path(kind, path, scope, by)
    elif role is _ENV:
        _note_variable(word, findings, by)


def _note_address(word: Word, scope: Scope, findings: Findings, by: str) -> None:
    """Note a host, or a file of this machine if it can be nothing else."""
    local = local_path(word.text)
    host = host_of(word.text) if local is None else None
    if host is not None:
        findings.effects.append(Effect(EffectKind.NETWORK, host, None, word.fixed, by))
    else:
        findings.path(EffectKind.READ, word if local is None else Word(local, word.fixed), scope, by)


def _note_variable(word: Word, findings: Findings, by: str) -> None:
    name, equals, value = word.text.partition("=")
    if equals and is_run_later(name.partition("[")[0], value, fixed=word.fixed):
        findings.gap(GapKind.OPEN, f"a shell runs the value of `{name}`", word.text)
    elif equals and is_command_line(name, value):
        findings.gap(GapKind.CODE, f"a program runs the value of `{name}`", value)
    findings.effects.append(env_effect(name, Word(value, word.fixed and bool(equals)), by))


_MOST: Final = 32  # folders and names that are put together


def note_results(
    words: tuple[Word, ...], found_by: Arguments, scope: Scope, findings: Findings, by: str
) -> None:
    """Note the effects on the files that replace unknown words, or that are added at the end."""
    for path in islice(find_paths(found_by), _MOST):
        given = [path if not word.fixed and word.splits else word for word in words]
        if given == list(words):
            given.append(path)
        arguments = sort_arguments(given)
        entry = arguments.program
        if entry is not None:
            note_consequences(arguments.operands, arguments.flags, entry, scope, findings, by)


_WRITING: Final = frozenset({Role.WRITE, Role.EDIT})
_IMAGES: Final = (".img", ".iso", ".raw", ".qcow2", ".vdi", ".vmdk", ".image")
# These contain devices and kernel data, not files.
_NO_FILES: Final = ("/dev/", "/proc/", "/sys/")
_FILES: Final = f"{SHARED_MEMORY}/"  # the one folder among them with files
# A folder that a variable names: `$WORK/disk.img`, quoted or not.
_IN_FOLDER: Final = re.compile(r"(\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|\$\(pwd\)|`pwd`)/[\w./-]+")


def on_image(arguments: Arguments, flags: tuple[Flag, ...], scope: Scope) -> bool:
    """Return whether a program for disks only writes to files, by their names; links are checked later."""
    written = words_with(_WRITING, arguments.operands, flags)
    named = [operand.word for operand in arguments.operands]
    named += [flag.value for flag in arguments.flags if flag.value is not None]
    if any(_is_no_file(word.text) for word in named):
        return False  # even if the program only reads it
    return bool(written) and all(_is_file(word, scope.folders) for word in written)


def _is_file(word: Word, folders: tuple[str, ...]) -> bool:
    text = word.text
    if not word.fixed:  # no disk has a name with such an ending
        return text.endswith(_IMAGES) and (not word.splits or _IN_FOLDER.fullmatch(text) is not None)
    if not text.startswith("/") and not folders:
        return text.endswith(_IMAGES)
    places = [normpath(join(folder, text)) for folder in folders or ("/",)]
    return not any(map(_is_no_file, places))


def _is_no_file(path: str) -> bool:
    place = f"{normpath(path).lower()}/"
    return place.startswith(_NO_FILES) and not place.startswith(_FILES)
