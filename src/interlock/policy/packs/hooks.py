"""From the packs that files name to hooks, each rule once however many files name it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from interlock.errors import Problem
from interlock.events.hook import Hook
from interlock.events.source import Layer
from interlock.permissions.judge import PermissionTable
from interlock.policy.compile.compile import compile_genesis
from interlock.policy.compile.context import CompileContext
from interlock.policy.files.document import Findings
from interlock.policy.hook_services import NO_SERVICES, HookServices
from interlock.policy.packs.load import STRICTNESS, Choice, Pack, strictness
from interlock.policy.settings_part import NOTHING_SET


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
        self._standing: Final[dict[str, int]] = {}  # the name of a rule → the strictest it stands as
        self._made: Final[set[bytes]] = set()

    def of(self, choices: Iterable[Choice], layer: Layer, findings: Findings) -> list[Hook]:
        """The hooks a file adds by naming packs; a rule that an earlier file has is not run twice."""
        hooks: list[Hook] = []
        for choice in choices:
            self._note_kept(choice, findings)
            hooks += [hook for hook in self._compiled(choice, layer) if self._is_new(hook)]
            self._remember(choice)
        return hooks

    def _compiled(self, choice: Choice, layer: Layer) -> list[Hook]:
        found = Findings(choice.pack.document)
        bench = CompileContext(
            findings=found,
            layer=layer,
            environ=self._environ,
            own=PermissionTable(),
            others=(),
            prefix=f"{choice.pack.name}/",
            examples=self._check,
            services=self._services,
            settings=self._settings,
        )
        hooks = compile_genesis(choice.record, bench)
        self.problems.extend(found.problems)
        return hooks

    def _note_kept(self, choice: Choice, findings: Findings) -> None:
        """A word that an earlier file overrules is said to have no effect."""
        for rule, word in choice.words.items():
            if STRICTNESS[word] < self._standing.get(_name(choice, rule), 0):
                path = ("settings", "packs", choice.pack.name, rule)
                findings.notice(path, f"`{rule}` stays stricter: an earlier file sets it; change it there")

    def _is_new(self, hook: Hook) -> bool:
        said = [hook.name, hook.key, hook.shadow]
        key = msgspec.json.encode(said)
        if key in self._made:
            return False
        self._made.add(key)
        return True

    def _remember(self, choice: Choice) -> None:
        for entries in choice.record.hooks.values():
            for entry in entries:
                name = _name(choice, str(entry.name))
                self._standing[name] = max(self._standing.get(name, 0), strictness(entry))


def pack_problems(pack: Pack, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with a pack, examples of its rules included."""
    trial = PackHooks(environ, check=True)
    trial.of([Choice(pack=pack, words={})], Layer.USER, Findings(pack.document))
    return tuple(str(problem) for problem in trial.problems)


def examples_of(pack: Pack) -> int:
    """How many examples the rules of a pack have."""
    return sum(len(entry.examples.match) + len(entry.examples.no_match) for entry in pack.rules.values())


def _name(choice: Choice, rule: str) -> str:
    return f"{choice.pack.name}/{rule}"
