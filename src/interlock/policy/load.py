"""Loads policy files of all layers, permissions too, into one pipeline; a later layer can only tighten."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.errors import ConfigError, Problem, by_place
from interlock.events.hook import Hook, Layer, Pattern
from interlock.patterns.matcher import UNREAD, parse_pattern
from interlock.permissions.judge import ActorEntry, PermissionTable
from interlock.policy.compile.compile import compile_genesis, compile_hookstoml
from interlock.policy.compile.context import CompileContext, tightening_hooks
from interlock.policy.extensions import genesis_key, settings_parts, use_features
from interlock.policy.files.document import Findings
from interlock.policy.files.document import Path as Where
from interlock.policy.files.read import FileKind, PolicyText, document_of, kind_of, read_bytes
from interlock.policy.files.validate import build_valid_part
from interlock.policy.files.words import hint
from interlock.policy.format.entry import HooksToml
from interlock.policy.format.genesis_key import ActorPermissions, GenesisKey
from interlock.policy.hook_kind import NO_SERVICES, HookServices
from interlock.policy.hook_kinds import hooks_that_always_stand
from interlock.policy.packs import Choice, PackHooks, chosen_packs
from interlock.policy.policy import Policy, PolicyFile
from interlock.policy.protected_paths import Guarded, guarded_here
from interlock.policy.settings.people import check_actor
from interlock.policy.settings_part import FileSettings, FurtherFiles, SettingsPart

_REVISION_LENGTH: Final = 12


class _LoadedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file whose shape is right."""

    layer: Layer
    text: PolicyText
    findings: Findings
    record: GenesisKey | HooksToml
    table: PermissionTable
    packs: Sequence[Choice] = ()


def load_policy(
    files: Sequence[tuple[Layer, Path | PolicyText]],
    *,
    environ: Mapping[str, str],
    check_packs: bool = False,
    guarded: Guarded | None = None,
    services: HookServices = NO_SERVICES,
) -> Policy:
    """Read and compile all files; raise ConfigError with every problem of every file.

    The examples of packs are checked before a release, so here only where a person asks for it.
    """
    problems: list[Problem] = []
    loaded: list[_LoadedFile] = []
    for layer, source in sorted(files, key=lambda file: file[0]):
        try:
            loaded.append(_load(layer, source))
        except ConfigError as error:
            problems += error.problems
    further = FurtherFiles()
    settings = {part.key: part.merge(_files_with(part, loaded, further)) for part in settings_parts()}
    packs = PackHooks(environ, check=check_packs, services=services, settings=settings)
    hooks: list[Hook] = []
    for file in loaded:
        hooks += _compile(file, loaded, environ, packs, services=services, settings=settings)
    problems += [problem for file in loaded for problem in file.findings.problems]
    problems += packs.problems
    if problems:
        raise ConfigError(by_place(problems))
    guarded = guarded or guarded_here(environ)
    return Policy(
        always=(*hooks_that_always_stand(guarded), *services.standing),
        hooks=tuple(hooks),
        settings=settings,
        notices=by_place(notice for file in loaded for notice in file.findings.notices),
        revision=_revision(loaded, tuple(further.digests.values())),
        watched=tuple(further.digests),
        permitted=frozenset(actor for file in loaded for actor in file.table.actors),
        files=tuple(
            PolicyFile(layer=file.layer, file=file.findings.document.file, hooks=_count_hooks(file.record))
            for file in loaded
        ),
    )


def _tables_before(file: _LoadedFile, loaded: Iterable[_LoadedFile]) -> tuple[PermissionTable, ...]:
    """The permissions that count for an actor this file does not list; later layers would loosen it."""
    earlier = (other for other in loaded if other is not file and other.layer <= file.layer)
    return tuple(other.table for other in earlier if other.table.actors)


def _count_hooks(record: GenesisKey | HooksToml) -> int:
    if isinstance(record, HooksToml):
        return len(record.hooks)
    return sum(len(entries) for entries in record.hooks.values())


def _load(layer: Layer, file: Path | PolicyText) -> _LoadedFile:
    path = file if isinstance(file, Path) else file.shown
    kind = kind_of(path)
    text = PolicyText(shown=file, content=read_bytes(file)) if isinstance(file, Path) else file
    document = document_of(text.content, path, kind)
    if layer.trusted:
        use_features(document)
    findings = Findings(document)
    record: GenesisKey | HooksToml
    packs: Sequence[Choice] = ()
    if kind is FileKind.HOOKS:
        record, mistakes = build_valid_part(document, HooksToml, _NO_TOML_HOOK)
        findings.problems.extend(mistakes)
        table = PermissionTable()
    else:
        record = genesis_record(findings)
        table = permission_table(record, findings)
        packs = chosen_packs(record, layer, findings)
    return _LoadedFile(layer=layer, text=text, findings=findings, record=record, table=table, packs=packs)


def _compile(
    file: _LoadedFile,
    loaded: Iterable[_LoadedFile],
    environ: Mapping[str, str],
    packs: PackHooks,
    *,
    services: HookServices,
    settings: Mapping[str, Any],
) -> list[Hook]:
    unit = CompileContext(
        findings=file.findings,
        layer=file.layer,
        environ=environ if file.text.search is None else {**environ, "PATH": file.text.search},
        folder=file.text.folder,
        own=file.table,
        others=_tables_before(file, loaded),
        services=services,
        settings=settings,
    )
    if isinstance(file.record, HooksToml):
        hooks = compile_hookstoml(file.record, unit)
    else:
        hooks = packs.hooks(file.packs, file.layer, file.findings) + compile_genesis(file.record, unit)
    return tightening_hooks(hooks) if file.text.tightening_only else hooks


def _files_with(
    part: SettingsPart[Any, Any], loaded: Iterable[_LoadedFile], further: FurtherFiles
) -> Iterator[FileSettings[Any]]:
    for file in loaded:
        if isinstance(file.record, GenesisKey):
            yield FileSettings(
                part=part,
                layer=file.layer,
                record=file.record,
                findings=file.findings,
                tightening_only=file.text.tightening_only,
                further=further,
            )


def _revision(loaded: Iterable[_LoadedFile], beside: Sequence[str]) -> str:
    parts: list[object] = [
        (
            int(file.layer),
            file.findings.document.file,
            hashlib.sha256(file.text.content).hexdigest(),
            file.text.tightening_only,
            [choice.pack.digest for choice in file.packs],
        )
        for file in loaded
    ]
    parts += beside  # tables are part of what was decided by
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:_REVISION_LENGTH]


# Hooks that do nothing, in the places of those with mistakes.
_NO_HOOK: Final = {"type": "command", "enabled": False, "config": {"command": "true"}}
_NO_TOML_HOOK: Final = {"event": "Stop", "enabled": False, "shell": {"command": "true"}}
_ACTORS: Final[Where] = ("permissions", "actors")


def genesis_record(findings: Findings) -> GenesisKey:
    """What a genesis key describes; its mistakes are noted, and what only other systems read in it."""
    keep = findings.unused if findings.foreign else None
    record, problems = build_valid_part(findings.document, genesis_key(), _NO_HOOK, keep)
    findings.problems.extend(problems)
    return record


def permission_table(key: GenesisKey, findings: Findings) -> PermissionTable:
    """Read every list of every actor."""
    return PermissionTable(
        _entry(actor, lists, findings)
        for actor, lists in key.permissions.actors.items()
        if lists.of_tools  # operations on commitments are judged elsewhere
    )


def _entry(actor: str, lists: ActorPermissions, findings: Findings) -> ActorEntry:
    path = (*_ACTORS, actor)
    check_actor(actor, path, findings, patterns=True)
    allow = lists.allow if isinstance(lists.allow, list) else None
    for index, text in enumerate(allow or ()):
        if text.partition("(")[0] == UNREAD:
            message = f"`{text}` cannot be allowed: its effect is not known; name a tool to allow all of it"
            findings.problem((*path, "allow", index), message)
    return ActorEntry(
        actor=actor,
        allow=None if allow is None else tuple(_patterns(allow, (*path, "allow"), findings)),
        deny=tuple(_patterns(lists.deny, (*path, "deny"), findings)),
        guidance=_guidance(lists, (*path, "guidance"), findings),
    )


def _patterns(texts: list[str], path: Where, findings: Findings) -> Iterator[Pattern]:
    for index, text in enumerate(texts):
        pattern = findings.attempt((*path, index), parse_pattern, text)
        if pattern is not None:
            yield pattern


def _guidance(lists: ActorPermissions, path: Where, findings: Findings) -> Mapping[str, str]:
    if isinstance(lists.guidance, str):
        return {"*": lists.guidance}
    if not isinstance(lists.guidance, dict):
        return {}
    for text in [] if findings.full else lists.guidance:
        # Advice for a pattern that is not denied would never be shown.
        if text != "*" and text not in lists.deny:
            findings.problem(
                (*path, text), f"`{text}` is not in a deny list here; {hint(text, ['*', *lists.deny])}"
            )
    return lists.guidance
