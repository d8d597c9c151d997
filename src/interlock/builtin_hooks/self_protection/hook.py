"""The gate guards itself, before every layer: calls and changed settings that would switch it off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, final

import msgspec

from interlock.builtin_hooks.great_losses import ONLY_THE_USER, greatest_loss
from interlock.builtin_hooks.project_files import read_file
from interlock.builtin_hooks.self_protection.commands import (
    Surroundings,
    command_objection,
    is_concerned,
    text_objection,
)
from interlock.builtin_hooks.self_protection.indirect_effects import (
    as_found,
    further_effects,
    is_linked_settings,
)
from interlock.effects.command import Command, Gap
from interlock.effects.effect import Effect, EffectKind
from interlock.effects.paths.globs import ProtectedFiles
from interlock.effects.reading import read_script
from interlock.events.hook import CallView, Hook, Layer, Pattern, PatternList, Source
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.text import printable_line
from interlock.events.tool import SHELL_FIELDS, JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, ask, deny
from interlock.hosts.claude_code.settings import UNHOOKING
from interlock.patterns.analyzed_call_view import AnalyzedCallView
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.matcher import Everything
from interlock.policy.protected_paths import Guarded

NAME: Final = "interlock/self-protection"
_SECONDS: Final = 10.0
_SHOWN: Final = 60
_LISTED: Final = frozenset(STANDARD_TOOLS.known)
INSTEAD_OF_ALL: Final = "Instead: delete single files by name."
_NAMED: Final = frozenset({EffectKind.READ, EffectKind.WRITE})  # what may be done under a file's other name


@final
class SelfProtection(Rule):
    """Denies what would change, blind or open the gate."""

    kind: Final = "self_protection"
    judges_carried = True

    def __init__(self, guarded: Guarded) -> None:
        self._guarded: Final = guarded
        self._places: Final = guarded.places  # made once: they are asked for at every call
        self._denied: Final = PatternList(guarded.denied())
        self._asked: Final = PatternList(guarded.asked())
        self._either: Final = PatternList(self.patterns)
        self._effects: Final = EffectPatterns(self.patterns, guarded.home)
        self._links: Final = ProtectedFiles(guarded.hard_links(), guarded.home)
        self._secret_links: Final = ProtectedFiles(guarded.unreadable, guarded.home)

    @property
    def patterns(self) -> Sequence[Pattern]:
        """What it asks a view about, compiled with the patterns of the policy."""
        return (*self._denied.patterns, *self._asked.patterns)

    def fingerprint(self) -> Any:
        return [pattern.text for pattern in self.patterns]

    def run(self, view: CallView, seconds: float) -> Verdict:
        event, tool = view.event, view.event.tool
        if tool is None:
            return NO_OPINION
        if isinstance(view, AnalyzedCallView) and view.own is not None:
            return view.own
        is_met = view.denied(self._either) is not None
        found = view.denied(self._denied) if is_met else None
        reason: str | None = None
        if found is not None and found.tool != EffectKind.DELETE:
            reason = _describe_forbidden(found, view.part(found), self._guarded)
        elif found is not None and (gone := self._find_deleted(view)) is not None:
            folder = _shorten_path(gone.target, self._guarded.home)
            reason = f"This would delete `{folder}`, which contains {_OURS}. {_TELL}"
        seen = _JudgedCall(event.cwd, event.project, view.commands, view.effects, view.gaps)
        reason = reason or self._objection(seen, tool)
        if reason is not None:
            # A call that also takes somebody's whole home is told that first.
            loss = greatest_loss(seen.effects, event.cwd, self._guarded.home)
            return deny(f"{loss} {INSTEAD_OF_ALL} {ONLY_THE_USER}" if loss else f"{reason} {ONLY_THE_USER}")
        return ask(_PROJECT) if is_met and view.denied(self._asked) is not None else NO_OPINION

    def _find_deleted(self, view: CallView) -> Effect | None:
        """A folder above ours counts where it is deleted, not where unread text has its name in it."""
        where = (view.event.cwd, view.event.project)
        effects: Sequence[Effect] = view.effects
        for one in effects:
            if one.kind is not EffectKind.DELETE or one.target == "/":
                continue
            if self._denied.first(self._effects.denials(as_found(one), *where)) is not None:
                return one
        return None

    def _objection(self, seen: _JudgedCall, tool: ToolCall) -> str | None:
        """What no pattern says: other names of a file, commands, and effects that follow from others."""
        if tool.name not in _LISTED:
            seen = _as_shell(seen, tool)
        for effect in seen.effects:
            if effect.known and effect.kind in _NAMED and self._under_another_name(effect, seen):
                name = printable_line(effect.target, _SHOWN)
                return f"`{name}` is another name for a file that belongs to Interlock. {_TELL}"
        commands = seen.commands
        if not commands and not seen.gaps:
            return None
        # Most questions about words can be asked of all of them at once; no word goes on behind a mark.
        said = "\0".join([word.text for command in commands for word in command.words])
        further = further_effects(commands, seen.effects, said, self._places)
        if (further or seen.unmatched) and (reason := self._by_effect((*seen.unmatched, *further), seen)):
            return reason
        if is_concerned(commands, said, self._guarded.socket) and (reason := self._by_command(seen)):
            return reason
        for gap in seen.gaps:
            if (reason := text_objection(gap.text)) is not None:
                return reason
        return None

    def _by_effect(self, effects: Sequence[Effect], seen: _JudgedCall) -> str | None:
        for effect, hits in self._effects.all_denials(effects, seen.cwd, seen.project):
            found = self._denied.first(hits)
            if found is not None:
                return _describe_forbidden(found, effect.by, self._guarded)
        return None

    def _by_command(self, seen: _JudgedCall) -> str | None:
        def forbids(target: str) -> str | None:
            if not target:
                return f"This would replace the user's policy. {_OTHER_FILE}"
            written = Effect(EffectKind.WRITE, target, base=seen.cwd or None)
            found = self._denied.first(self._effects.denials(written, seen.cwd, seen.project))
            return _describe_forbidden(found, None, self._guarded) if found else None

        return command_objection(
            Surroundings(
                commands=seen.commands,
                variables={one.target for one in seen.effects if one.kind is EffectKind.ENV},
                lock=self._guarded.lock,
                socket=self._guarded.socket,
                forbids=forbids,
            )
        )

    def _under_another_name(self, effect: Effect, seen: _JudgedCall) -> bool:
        if effect.kind is EffectKind.WRITE and is_linked_settings(effect, seen.cwd, seen.project):
            return True
        links = self._links if effect.kind is EffectKind.WRITE else self._secret_links
        return links.hit(effect.target, effect.base or seen.cwd or "/") is not None


class _JudgedCall(msgspec.Struct, frozen=True):
    """A call as it is judged here."""

    cwd: str
    project: str | None
    commands: Sequence[Command]
    effects: Sequence[Effect]
    gaps: Sequence[Gap]
    unmatched: Sequence[Effect] = ()  # that no pattern of the policy has seen


def _as_shell(seen: _JudgedCall, tool: ToolCall) -> _JudgedCall:
    """A call of a tool nobody lists, as the shell command it may be."""
    text = "\n".join(_shell_texts(tool))
    if not text:
        return seen
    script = read_script(text, seen.cwd)
    return msgspec.structs.replace(
        seen,
        commands=script.commands,
        effects=(*seen.effects, *script.effects),
        gaps=script.gaps,
        unmatched=script.effects,
    )


_OURS: Final = "Interlock's own files or the settings that make hooks run"
_OTHER_FILE: Final = "Instead: write another file with `interlock init FILE`."
_TELL: Final = "Instead: tell the user what you would change."
_LOOK: Final = "Instead: run `interlock hooks list` or `interlock doctor`."
_PROJECT: Final = (
    "This changes the project's own policy. It has no effect until the user runs `interlock trust`."
)


def _describe_forbidden(pattern: Pattern, place: str | None, guarded: Guarded) -> str:
    """What would be lost, and what to do instead."""
    glob = (pattern.glob or "").removesuffix("/**").removeprefix("**/")
    is_own = "interlock" in glob or any(f"{glob}/".startswith(f"{one}/") for one in guarded.folders)
    what = "Interlock's own files" if is_own else "the settings that make hooks run"
    named = _shorten_path(glob, guarded.home)
    where = f" (in `{printable_line(place, _SHOWN)}`)" if place else ""
    if pattern.tool == EffectKind.DELETE:
        return f"This would delete `{named}`, which contains {what}{where}. {_TELL}"
    if pattern.tool == EffectKind.READ:
        return f"This would read `{named}`, Interlock's records and keys{where}. {_LOOK}"
    return f"This would change `{named}`, part of {what}{where}. {_TELL}"


def _shorten_path(path: str, home: str) -> str:
    return printable_line(f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path, _SHOWN)


def _shell_texts(tool: ToolCall) -> Iterator[str]:
    for name in SHELL_FIELDS:
        value = tool.input.get(name)
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str):
                yield text


def self_protection(guarded: Guarded) -> Hook:
    """The hook that stands first in every loaded policy."""
    return Hook(
        name=NAME,
        events=(EventName.PRE_TOOL_USE,),
        handler=SelfProtection(guarded),
        matcher=Everything("*"),
        timeout=_SECONDS,
        only_objects=True,
        source=Source(layer=Layer.MANAGED, file="<built in>"),
    )


SETTINGS_NAME: Final = "interlock/settings-change"
_OFF: Final = frozenset({"", "0", "false", "no", "off"})
_PROGRAMS: Final = ("interlock-hook", "interlock-launcher")
_SETTINGS_SECONDS: Final = 5.0
_SHORT: Final = 5  # an entry of ours waits at least this long
_IN_PROJECT: Final = (".claude/settings.json", ".claude/settings.local.json")


@final
class SettingsChange(Rule):
    """Looks at the file that changed and at those of the project, which the client reads again with it."""

    kind: Final = "settings_change"

    def __init__(self, guarded: Guarded) -> None:
        self._installed: Final = frozenset(guarded.files)

    def fingerprint(self) -> Any:
        return self.kind

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        changed = event.extra.get("file_path")
        if not isinstance(changed, str):
            return NO_OPINION
        folder = event.project or event.cwd
        own = [f"{folder}/{name}" for name in _IN_PROJECT] if folder else []
        for file in dict.fromkeys((changed, *own)):
            found = self._fault(file)
            if found is not None:
                return deny(
                    f"{found} `{file}` would turn off Interlock's hooks in this session, so the change was "
                    "not applied. Correct the file, then start a new session to apply its other changes."
                )
        return NO_OPINION

    def _fault(self, file: str) -> str | None:
        """What in a file takes our hooks away."""
        content = read_file(file)
        document = None if content is None else _read_document(content)
        if document is not None and (key := next(switched_off(document), None)) is not None:
            return f"`{key}` in"
        if file in self._installed and not any(map(_is_ours, _call_handlers(document or {}))):
            return "without Interlock's entry before tool calls,"
        return None


def switched_off(document: JsonObject) -> Iterator[str]:
    """The keys of a settings file that switch hooks of ours off, whatever other files say."""
    if document.get("disableAllHooks") is True:
        yield "disableAllHooks"
    variables, plugins = document.get("env"), document.get("enabledPlugins")
    if isinstance(variables, dict) and str(variables.get(UNHOOKING, "")).lower() not in _OFF:
        yield f"env.{UNHOOKING}"
    if isinstance(plugins, dict):
        off = (name for name, value in plugins.items() if value is False and name.startswith("interlock"))
        yield from (f"enabledPlugins.{name}" for name in off)
    if any(_is_ours(handler) and _is_blunt(handler) for handler in _handlers(document)):
        yield "hooks"


def _read_document(content: bytes) -> JsonObject | None:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _handlers(document: JsonObject) -> Iterator[JsonObject]:
    hooks = document.get("hooks")
    for groups in hooks.values() if isinstance(hooks, dict) else ():
        yield from _list_handlers(groups)


def _call_handlers(document: JsonObject) -> Iterator[JsonObject]:
    hooks = document.get("hooks")
    return _list_handlers(hooks.get(EventName.PRE_TOOL_USE)) if isinstance(hooks, dict) else iter(())


def _list_handlers(groups: Any) -> Iterator[JsonObject]:
    for group in groups if isinstance(groups, list) else ():
        inner = group.get("hooks") if isinstance(group, dict) else None
        yield from (one for one in (inner if isinstance(inner, list) else ()) if isinstance(one, dict))


def _is_ours(handler: JsonObject) -> bool:
    command = handler.get("command")
    return isinstance(command, str) and PurePosixPath(command.split(" ", 1)[0]).name in _PROGRAMS


def _is_blunt(handler: JsonObject) -> bool:
    """Whether an entry of ours has no say: nobody waits for its answer."""
    timeout = handler.get("timeout")
    short = isinstance(timeout, int | float) and timeout < _SHORT
    return short or handler.get("async") is True or handler.get("asyncRewake") is True


def settings_change(guarded: Guarded) -> Hook:
    """The hook that every loaded policy has."""
    return Hook(
        name=SETTINGS_NAME,
        events=(EventName.CONFIG_CHANGE,),
        handler=SettingsChange(guarded),
        matcher=Everything("*"),
        timeout=_SETTINGS_SECONDS,
        source=Source(layer=Layer.MANAGED, file="<built in>"),
    )
