"""The policies shipped with the package: found by name, changed rule by rule, compiled like any file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import msgspec

from interlock.errors import Problem
from interlock.events.hook import PACK_SOURCE, Hook, Layer
from interlock.files.own_files import bundled_file
from interlock.permissions.judge import PermissionTable
from interlock.policy.compile.compile import compile_genesis
from interlock.policy.compile.context import CompileContext
from interlock.policy.extensions import genesis_key
from interlock.policy.files.document import Document, Findings, Node
from interlock.policy.files.document import Path as Where
from interlock.policy.files.read import FileKind, document_of
from interlock.policy.files.validate import build_record
from interlock.policy.files.words import hint
from interlock.policy.format.genesis_key import GenesisKey
from interlock.policy.format.kind_entry import KindEntry, entry_record
from interlock.policy.hook_kind import NO_SERVICES, HookServices
from interlock.policy.settings.installed import PACKS, PackWord
from interlock.policy.settings_part import NOTHING_SET

STRICTNESS: Final[dict[PackWord, int]] = {"off": 0, "shadow": 1, "ask": 2, "deny": 3}


def strictness(entry: KindEntry) -> int:
    """How strict a rule is; a rule with several votes counts as its strictest."""
    if not entry.enabled:
        return STRICTNESS["off"]
    if entry.mode == "shadow":
        return STRICTNESS["shadow"]
    return STRICTNESS["ask" if entry.builtin.kind == "ask" else "deny"]


def reword(entry: KindEntry, word: PackWord) -> KindEntry | None:
    """The rule as a word makes it; None when this type cannot do that."""
    if word == "off":
        return msgspec.structs.replace(entry, enabled=False)
    if word == "shadow":
        return msgspec.structs.replace(entry, enabled=True, mode="shadow")
    if entry.builtin.reword is None:
        return None
    kind, config = entry.builtin.reword(entry.config, word)
    record = entry_record(kind)
    if record is None:
        return None
    fields = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return record(**{**fields, "enabled": True, "mode": "enforce", "config": config})


_FOLDER: Final = bundled_file("packs")
_ENDING: Final = ".key"


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """One shipped policy, read and checked for its shape."""

    name: str
    content: bytes
    document: Document
    record: GenesisKey

    @property
    def rules(self) -> dict[str, KindEntry]:
        """Its entries by name, in the order they are written."""
        found = (entry for entries in self.record.hooks.values() for entry in entries)
        return {str(entry.name): entry for entry in found if entry.name}

    def written(self, rule: str) -> str:
        """One of its entries as it is written in the file."""
        starts = sorted(node.line for nodes in self._entries() for node in nodes)
        start = next(node.line for nodes in self._entries() for node in nodes if _name_of(node) == rule)
        lines = self.content.decode().splitlines()
        end = next((line for line in starts if line > start), len(lines) + 1)
        entry = lines[start - 1 : end - 1]
        while entry and (not entry[-1].strip() or entry[-1].lstrip().startswith("#")):
            entry.pop()
        return dedent("\n".join(entry))

    def _entries(self) -> Iterator[list[Node]]:
        events = self.document.at(("hooks",)).value
        for node in events.values() if isinstance(events, dict) else ():
            if isinstance(node.value, list):
                yield node.value

    @property
    def digest(self) -> str:
        """Identifies the content; another release has another one."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def about(self) -> str:
        """What it is for: its first line, a comment."""
        return self.content.partition(b"\n")[0].decode().lstrip("# ")


def _name_of(node: Node) -> object:
    name = node.value.get("name") if isinstance(node.value, dict) else None
    return name.value if name else None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A pack as one file wants it."""

    pack: Pack
    words: Mapping[str, PackWord]

    @property
    def record(self) -> GenesisKey:
        """The pack's policy with the words of the file in place of its own."""
        if not self.words:
            return self.pack.record
        hooks = {
            event: [self._entry(entry) for entry in entries]
            for event, entries in self.pack.record.hooks.items()
        }
        return msgspec.structs.replace(self.pack.record, hooks=hooks)

    def _entry(self, entry: KindEntry) -> KindEntry:
        word = self.words.get(entry.name) if entry.name else None
        return (reword(entry, word) if word else None) or entry


@cache
def pack_names() -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in _FOLDER.iterdir() if file.suffix == _ENDING))


@cache
def find_pack(name: str) -> Pack:
    """Read a pack that exists; only once, since it does not change while we run."""
    content = _FOLDER.joinpath(name + _ENDING).read_bytes()
    document = document_of(content, Path(f"{PACK_SOURCE}{name}"), FileKind.GENESIS)
    return Pack(name=name, content=content, document=document, record=build_record(document, genesis_key()))


def chosen_packs(record: GenesisKey, layer: Layer, findings: Findings) -> list[Choice]:
    """The packs a file names, in its order; an unknown name or a loosening word is noted as a problem."""
    found: dict[str, Choice] = {}
    for name, words, path in _packs_in(record):
        if name not in pack_names():
            findings.problem(path, f"unknown pack `{name}`; {hint(name, pack_names())}")
        elif name in found:
            findings.problem(path, f"the pack `{name}` is named twice; keep one of them")
        else:
            pack = find_pack(name)
            for rule, message in _refused(pack, words, layer):
                findings.problem((*path, rule), message)
            found[name] = Choice(pack=pack, words=words)
    return list(found.values())


def _packs_in(record: GenesisKey) -> Iterator[tuple[str, Mapping[str, PackWord], Where]]:
    packs = PACKS.written_in(record)
    if isinstance(packs, list):
        for index, name in enumerate(packs):
            yield name, {}, (*PACKS.path, index)
    else:
        for name, words in packs.items():
            yield name, words, (*PACKS.path, name)


def _refused(pack: Pack, words: Mapping[str, PackWord], layer: Layer) -> Iterator[tuple[str, str]]:
    rules = pack.rules
    for rule, word in words.items():
        if rule not in rules:
            yield rule, f"unknown rule `{rule}` of the pack `{pack.name}`; {hint(rule, rules)}"
        elif reword(rules[rule], word) is None:
            kind = rules[rule].builtin.kind
            yield rule, f"a `{kind}` rule cannot {word}; use `off` or `shadow`"
        elif not layer.trusted and STRICTNESS[word] < strictness(rules[rule]):
            message = f"`{word}` would loosen `{rule}`; only the managed or user layer may, so move it there"
            yield rule, message


class PackHooks:
    """The rules of packs that stand so far, while the files of a policy are compiled in order."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        check: bool,
        services: HookServices = NO_SERVICES,
        settings: Mapping[str, Any] = NOTHING_SET,
    ) -> None:
        self.problems: Final[list[Problem]] = []
        self._environ: Final = environ
        self._services: Final = services
        self._settings: Final = settings
        self._check: Final = check  # whether the examples are tried too
        self._standing: Final[dict[str, int]] = {}  # the name of a rule → the strictest word for it so far
        self._made: Final[set[bytes]] = set()

    def hooks(self, choices: Iterable[Choice], layer: Layer, findings: Findings) -> list[Hook]:
        """The hooks a file adds by naming packs; a rule that an earlier file has is not run twice."""
        hooks: list[Hook] = []
        for choice in choices:
            self._warn_overruled(choice, findings)
            hooks += [hook for hook in self._compiled(choice, layer) if self._is_new(hook)]
            self._remember(choice)
        return hooks

    def _compiled(self, choice: Choice, layer: Layer) -> list[Hook]:
        findings = Findings(choice.pack.document)
        unit = CompileContext(
            findings=findings,
            layer=layer,
            environ=self._environ,
            own=PermissionTable(),
            others=(),
            prefix=f"{choice.pack.name}/",
            examples=self._check,
            services=self._services,
            settings=self._settings,
        )
        hooks = compile_genesis(choice.record, unit)
        self.problems.extend(findings.problems)
        return hooks

    def _warn_overruled(self, choice: Choice, findings: Findings) -> None:
        """Note each word that has no effect, because an earlier file is stricter."""
        for rule, word in choice.words.items():
            if STRICTNESS[word] < self._standing.get(_name(choice, rule), 0):
                path = ("settings", "packs", choice.pack.name, rule)
                findings.notice(path, f"`{rule}` stays stricter: an earlier file sets it; change it there")

    def _is_new(self, hook: Hook) -> bool:
        key = msgspec.json.encode([hook.name, hook.key, hook.shadow])
        is_new = key not in self._made
        self._made.add(key)
        return is_new

    def _remember(self, choice: Choice) -> None:
        for entries in choice.record.hooks.values():
            for entry in entries:
                name = _name(choice, str(entry.name))
                self._standing[name] = max(self._standing.get(name, 0), strictness(entry))


def pack_problems(pack: Pack, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with a pack, examples of its rules included."""
    trial = PackHooks(environ, check=True)
    trial.hooks([Choice(pack=pack, words={})], Layer.USER, Findings(pack.document))
    return tuple(str(problem) for problem in trial.problems)


def examples_of(pack: Pack) -> int:
    """How many examples the rules of a pack have."""
    return sum(len(entry.examples.match) + len(entry.examples.no_match) for entry in pack.rules.values())


def _name(choice: Choice, rule: str) -> str:
    return f"{choice.pack.name}/{rule}"
