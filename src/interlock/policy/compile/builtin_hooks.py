"""How hooks that stand in one file each are written in a policy, and the handlers they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, cast

import msgspec

from interlock.builtin_hooks.build_context import Field
from interlock.builtin_hooks.catalog import SHIPPED, builtin_named
from interlock.builtin_hooks.kind import Builtin
from interlock.builtin_hooks.plugins import plugins
from interlock.errors import PluginError
from interlock.events.hook import Handler, Hook
from interlock.events.names import EventName, snake_case
from interlock.events.source import Layer
from interlock.features.receipts.settings import TOOL_POLICIES
from interlock.policy.compile.context import Bench
from interlock.policy.files.node import Path
from interlock.policy.files.validate import unwritable
from interlock.policy.format.hook_entry import HookEntry
from interlock.policy.hook_services import HookServices


class BuiltinHook(HookEntry, frozen=True, kw_only=True, tag="builtin"):
    """Stands for one record per kind; each is made when a policy names its kind."""

    config: Any = None

    builtin: ClassVar[Builtin]

    @staticmethod
    def further(kind: str) -> type[BuiltinHook] | None:
        """The record of a kind; None when nobody knows it."""
        return entry_record(kind)

    @staticmethod
    def further_words() -> list[str]:
        """Every kind there is."""
        return [*SHIPPED, *dict.fromkeys(one.kind for one in plugins())]


def entry_record(kind: str) -> type[BuiltinHook] | None:
    """The record an entry of this kind is read into: all that any entry may say, and its own options."""
    builtin = builtin_named(kind)
    if builtin is None:
        return None
    if kind not in SHIPPED and (field := unwritable(builtin.options)):
        raise PluginError(
            f"the option `{field}` of `{kind}` has a type no policy can hold; "
            "its author can use text, numbers, words, lists, mappings and records"
        )
    return record_of(builtin)


@cache
def record_of(builtin: Builtin) -> type[BuiltinHook]:
    """The record of a kind of hook."""
    options = builtin.options
    required = any(field.required for field in msgspec.structs.fields(options))
    matcher = next(field for field in msgspec.structs.fields(HookEntry) if field.name == "matcher")
    config: Any = ("config", options) if required else ("config", options, options())
    made = msgspec.defstruct(
        f"{builtin.kind.title().replace('_', '').replace('.', '')}Hook",
        [config, ("matcher", matcher.type, builtin.matcher)],
        bases=(BuiltinHook,),
        namespace={"builtin": builtin, "__doc__": builtin.about},
        frozen=True,
        kw_only=True,
        tag=builtin.kind,
    )
    return cast("type[BuiltinHook]", made)


@dataclass(frozen=True, kw_only=True)
class _Making:
    """One entry on the bench."""

    entry: BuiltinHook
    event: EventName
    path: Path
    bench: Bench
    name: str
    seconds: float

    @property
    def layer(self) -> Layer:
        return self.bench.layer

    @property
    def folder(self) -> str | None:
        return self.bench.folder

    @property
    def environ(self) -> Mapping[str, str]:
        return self.bench.environ

    @property
    def services(self) -> HookServices:
        return self.bench.services

    @property
    def trial(self) -> bool:
        return self.entry.mode == "shadow" or self.entry.observe

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.bench.settings

    def classifier(self) -> Any:
        return TOOL_POLICIES.of(self.bench).classifier()

    def problem(self, field: Field, text: str) -> None:
        self.bench.findings.problem(self._place(field), text)

    def notice(self, field: Field, text: str) -> None:
        self.bench.findings.notice(self._place(field), text)

    def _place(self, field: Field) -> Path:
        below = (field,) if isinstance(field, str) else field
        return (*self.path, "config", *below)


def builtin_handler(entry: BuiltinHook, event: EventName, path: Path, bench: Bench) -> Handler | None:
    """Make the handler of a hook; None when a problem was noted."""
    builtin = entry.builtin
    if builtin.events and event not in builtin.events:
        places = " or ".join(f"`{snake_case(one)}`" for one in builtin.events)
        message = f"`{builtin.kind}` has nothing to do at `{snake_case(event)}`; move it to {places}"
        bench.findings.problem((*path, "type"), message)
        return None
    name = bench.prefix + (entry.name or f"{snake_case(event)}[{path[-1]}]:{builtin.kind}")
    seconds = entry.seconds or builtin.seconds
    making = _Making(entry=entry, event=event, path=path, bench=bench, name=name, seconds=seconds)
    before = len(bench.findings.problems)
    try:
        handler = builtin.make(entry.config, making)
    except Exception as error:  # noqa: BLE001 - whatever a hook's code raises is a problem of its entry
        message = f"`{builtin.kind}` cannot be made ({type(error).__name__}: {error}); check its options"
        bench.findings.problem((*path, "config"), message)
        return None
    if handler is None and len(bench.findings.problems) == before:
        message = f"`{builtin.kind}` made nothing and does not say why; tell whoever wrote it"
        bench.findings.problem((*path, "type"), message)
    return handler


def as_its_kind_says(made: Hook, builtin: Builtin) -> Hook:
    """The hook with what its kind says of all of them, where its entry said nothing."""
    return msgspec.structs.replace(
        made,
        events=tuple(dict.fromkeys((*made.events, *builtin.also))),
        on_failure=made.on_failure or builtin.on_failure,
        loops=builtin.loops,
        matcher=builtin.narrow(made.handler, made.matcher) if builtin.narrow else made.matcher,
        quiet=made.quiet or builtin.narrow is not None,
        # What a plugin says of itself counts only while the file that names it is trusted.
        tightens=builtin.tightens and builtin.kind in SHIPPED,
    )
