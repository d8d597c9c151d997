"""What the compilation of one file needs at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import msgspec

from interlock.events.actor import counted
from interlock.events.hook import Condition, Dialect, Handler, Hook, Layer, OnFailure, Source
from interlock.events.names import EventName, snake_case
from interlock.permissions.judge import PermissionTable
from interlock.policy.extensions import find_part
from interlock.policy.files.document import Findings, Path
from interlock.policy.format.entry import Entry, SeveralApprovers, WebhookConfig
from interlock.policy.format.kind_entry import KindEntry
from interlock.policy.hook_kind import (
    NO_SERVICES,
    Arguments,
    BuildContext,
    Built,
    Field,
    HookServices,
    OptionError,
)
from interlock.policy.hook_kinds import own_kinds
from interlock.policy.settings.people import PEOPLE, check_actor
from interlock.policy.settings_part import NOTHING_SET


class CompileContext(msgspec.Struct, frozen=True, kw_only=True):
    """What compiling one file needs: its layer, its findings, and what the other files permit."""

    findings: Findings
    layer: Layer
    environ: Mapping[str, str]  # what hook processes may inherit from
    own: PermissionTable  # what this file permits
    others: tuple[PermissionTable, ...]  # what the other files permit
    folder: str | None = None  # where its commands run; None: where the event happened
    prefix: str = ""  # before the names of its hooks
    services: HookServices = NO_SERVICES  # what its hooks may ask while they run
    settings: Mapping[str, Any] = NOTHING_SET  # what all files set, by its key
    examples: bool = True  # False: what its rules are examples of was checked before it was shipped

    def condition(self, text: str, path: Path) -> Condition | None:
        """Compile a condition; None when a problem was noted."""
        from interlock.policy.conditions.condition import parse_condition

        return self.findings.attempt(path, parse_condition, text)

    def source(self, path: Path) -> Source:
        """The place of an entry."""
        document = self.findings.document
        return Source(layer=self.layer, file=document.file, line=document.at(path).line)

    def written(self, path: Path) -> frozenset[str]:
        """The keys a person wrote at a path."""
        value = self.findings.document.at(path).value
        return frozenset(value) if isinstance(value, dict) else frozenset()


@dataclass(frozen=True, kw_only=True)
class EntryContext(BuildContext):
    """What a kind gets to make an entry, and what the kinds of the kernel get besides."""

    entry: KindEntry
    path: Path
    unit: CompileContext

    def classifier(self) -> Any:
        return find_part("tool_policies").get(self.unit).classifier()

    def condition(self, field: Field, text: str) -> Condition | None:
        return self.unit.condition(text, self._path_to(field))

    def approvers(self, named: Sequence[str] | SeveralApprovers) -> tuple[str, ...]:
        several = named if isinstance(named, SeveralApprovers) else None
        names = several.of if several else cast("Sequence[str]", named)
        below = ("approvers", "of") if several else ("approvers",)
        for index, name in enumerate(names):
            check_actor(name, self._path_to((*below, index)), self.unit.findings)
        found = PEOPLE.get(self.unit).spelled_out(names)
        return counted(found, several.any) if several else found

    def attempt(
        self,
        field: Field,
        build: Callable[Arguments, Built],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Built | None:
        return self.unit.findings.attempt(self._path_to(field), build, *args, **kwargs)

    def misplaced(self, text: str, *key: str) -> None:
        self.unit.findings.problem((*self.path, *key), text)

    def problem(self, field: Field, text: str) -> None:
        self.unit.findings.problem(self._path_to(field), text)

    def notice(self, field: Field, text: str) -> None:
        self.unit.findings.notice(self._path_to(field), text)

    def _path_to(self, field: Field) -> Path:
        below = (field,) if isinstance(field, str) else field
        return (*self.path, "config", *below)


def entry_context(entry: KindEntry, event: EventName, path: Path, unit: CompileContext) -> EntryContext:
    builtin = entry.builtin
    return EntryContext(
        entry=entry,
        path=path,
        unit=unit,
        name=unit.prefix + (entry.name or f"{snake_case(event)}[{path[-1]}]:{builtin.kind}"),
        event=event,
        layer=unit.layer,
        shipped=bool(unit.prefix),
        folder=unit.folder,
        environ=unit.environ,
        services=unit.services,
        trial=entry.mode == "shadow" or entry.observe,
        seconds=entry.seconds or builtin.seconds,
        settings=unit.settings,
    )


def builtin_handler(context: EntryContext) -> Handler | None:
    """Make the handler of a hook; None when a problem was noted."""
    builtin, event, path, unit = context.entry.builtin, context.event, context.path, context.unit
    if builtin.events and event not in builtin.events:
        places = " or ".join(f"`{snake_case(moment)}`" for moment in builtin.events)
        message = f"`{builtin.kind}` has no effect at `{snake_case(event)}`; move it to {places}"
        unit.findings.problem((*path, "type"), message)
        return None
    before = len(unit.findings.problems)
    try:
        handler = builtin.make(context.entry.config, context)
    except OptionError as error:
        context.problem(error.field, str(error))
        return None
    except Exception as error:  # noqa: BLE001 - whatever a hook's code raises is a problem of its entry
        message = f"`{builtin.kind}` cannot be made ({type(error).__name__}: {error}); check its options"
        unit.findings.problem((*path, "config"), message)
        return None
    if handler is None and len(unit.findings.problems) == before:
        message = f"`{builtin.kind}` made no hook and does not say why; report this to its author"
        unit.findings.problem((*path, "type"), message)
    return handler


def apply_kind(made: Hook, context: EntryContext) -> Hook | None:
    """The hook with the defaults of its kind, for what its entry does not set."""
    builtin = context.entry.builtin
    hook = msgspec.structs.replace(
        made,
        events=tuple(dict.fromkeys((*made.events, *builtin.also))),
        on_failure=made.on_failure or builtin.on_failure,
        loops=builtin.loops,
        matcher=builtin.narrow(made.handler, made.matcher) if builtin.narrow else made.matcher,
        quiet=made.quiet or builtin.narrow is not None,
        # A plugin's own claim would count even when the file that names it is no longer trusted.
        tightens=builtin.tightens and builtin.kind in own_kinds(),
    )
    return builtin.finish(hook, context.entry.config, context) if builtin.finish else hook


AnyEntry = TypeVar("AnyEntry", bound=Entry)

# Field, whether its value would loosen, what it is put back to, and the deed in words.
_LOOSENING: Final[tuple[tuple[str, Callable[[Any], bool], Any, str], ...]] = (
    ("auto_approve", lambda value: value is True, False, "approve calls"),
    ("on_failure", lambda value: value is OnFailure.OPEN, msgspec.UNSET, "let a hook fail open"),
    ("observe", lambda value: value is True, False, "take a hook's vote away"),
    ("mode", lambda value: value == "shadow", "enforce", "run a hook in shadow"),
    ("dialect", lambda value: value == Dialect.CLAUDE, "genesis", "follow rules that let a failure pass"),
    ("rejudge", lambda value: value is False, True, "exempt a hook from its second run"),
)

_JUDGING: Final = frozenset({"deny", "ask", "cleaning", "genesis_enforcement", "self_protection"})


def tighten(entry: AnyEntry, layer: Layer, path: Path, default: float, findings: Findings) -> AnyEntry:
    """The entry as its layer may have it; the hook itself always stays."""
    if layer.trusted:
        return entry
    changes: dict[str, Any] = {}
    for field, loosens, safe, deed in _LOOSENING:
        if loosens(getattr(entry, field, None)):
            findings.notice((*path, field), _ignored(deed))
            changes[field] = safe
    if (entry.seconds or 0) > default:
        written = next(key for key in ("timeout_ms", "timeout", "timeout_sec") if getattr(entry, key))
        findings.notice((*path, written), _ignored(f"wait longer than {default:g} seconds"))
        changes[written] = msgspec.UNSET
    return msgspec.structs.replace(entry, **changes)


def tighten_webhook(config: WebhookConfig, layer: Layer, path: Path, findings: Findings) -> WebhookConfig:
    """The webhook as its layer may have it: never aimed at a private network by a project."""
    if layer.trusted or not config.allow_private:
        return config
    findings.notice((*path, "allow_private"), _ignored("call private addresses"))
    return msgspec.structs.replace(config, allow_private=False)


def tightening_hooks(hooks: Iterable[Hook]) -> list[Hook]:
    """The hooks that can only deny, ask or record: nothing that runs, calls out or changes a call."""
    return [hook for hook in hooks if hook.tightens]


def judging_hooks(hooks: Iterable[Hook]) -> list[Hook]:
    """The hooks that say what an actor may do and leave no trace."""
    return [hook for hook in hooks if hook.handler.kind in _JUDGING and not hook.once]


def _ignored(deed: str) -> str:
    return f"ignored: only the managed or user layer may {deed}; move it there"
