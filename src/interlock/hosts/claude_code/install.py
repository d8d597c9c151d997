"""Putting Interlock into a settings file and taking it out again: planned first, then written."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.events.hook import Hook
from interlock.files.own_files import bundled_file
from interlock.hosts.claude_code.entries import (
    find_ours,
    merge_entries,
    our_handlers,
    remove_entries,
)
from interlock.hosts.claude_code.lint import find_voids
from interlock.hosts.claude_code.read import HOST
from interlock.hosts.claude_code.settings import (
    LAUNCHER,
    UNHOOKING,
    Scope,
    Settings,
    SettingsError,
    SettingsPlaces,
    back_up,
    backups,
    read_settings,
    write_settings,
)
from interlock.hosts.host_notes import ROUNDS
from interlock.hosts.launching import PROGRAM, Installation

_ENV: Final = "env"


def with_variable(settings: Settings, name: str, value: str) -> Settings:
    """The file with one more variable."""
    return settings.with_member(_ENV, {**settings.require_object(_ENV), name: value})


def without_variable(settings: Settings, name: str, value: str) -> Settings:
    """The file without it; one that somebody changed since is theirs."""
    variables = settings.require_object(_ENV)
    if variables.get(name) != value:
        return settings
    rest = {other: kept for other, kept in variables.items() if other != name}
    return settings.with_member(_ENV, rest or None)


_CAP: Final = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"  # how often it lets hooks send a turn back


_PERMISSIONS: Final = "permissions"
_ALLOW: Final = "allow"
_HANDOVERS: Final = "Edit(*_HANDOVER_*.json)"  # rules for `Edit` are those for `Write` too


def our_rules(scope: Scope, installed: Installation) -> tuple[str, ...]:
    """The rules for a scope: the client takes a path for another program than the bare name.

    Where others read the file too, no path of one person may stand in it.
    """
    by_path = () if scope.shared else (f"Bash({installed.program} *)",)
    return (f"Bash({PROGRAM} *)", *by_path, _HANDOVERS)


def missing_rules(settings: Settings, rules: Sequence[str]) -> tuple[str, ...]:
    """Those of the rules that a file does not have."""
    allowed = _allow_list(settings)
    return tuple(rule for rule in rules if rule not in allowed)


def with_rules(settings: Settings, rules: Sequence[str]) -> Settings:
    """The file with the rules it lacks."""
    missing = missing_rules(settings, rules)
    allowed = [*_allow_list(settings), *missing]
    return _with_allowed(settings, allowed) if missing else settings


def without_rules(settings: Settings, rules: Sequence[str]) -> Settings:
    """The file without them; a list or an object that only they needed goes too."""
    allowed = _allow_list(settings)
    left = [rule for rule in allowed if rule not in rules]
    return settings if left == allowed else _with_allowed(settings, left)


def _with_allowed(settings: Settings, allowed: list[Any]) -> Settings:
    permissions = settings.require_object(_PERMISSIONS)
    rest = {name: value for name, value in permissions.items() if name != _ALLOW or allowed}
    return settings.with_member(_PERMISSIONS, {**rest, **({_ALLOW: allowed} if allowed else {})} or None)


def _allow_list(settings: Settings) -> list[Any]:
    allowed = settings.require_object(_PERMISSIONS).get(_ALLOW, [])
    if not isinstance(allowed, list):
        raise SettingsError(f"`permissions.allow` in `{settings.path}` is not a list; correct it first")
    return allowed


_SHARED: Final = 0o644
_OWN: Final = 0o600
_HOOKS: Final = "hooks"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of one settings file."""

    before: Settings
    after: Settings  # with text None: the file goes
    loops: int | None = None  # how often hooks may send a turn back, where that was raised
    launcher: Path | None = None  # the script of a shared scope: written with entries, removed with them

    @property
    def changes(self) -> bool:
        return self.before.text != self.after.text

    @property
    def entries(self) -> int:
        """How many entries of ours there will be."""
        return len(find_ours(self.after.hooks))

    @property
    def waiting(self) -> dict[str, float]:
        """How long the client will wait for us at each event that has an entry of ours."""
        ours = find_ours(self.after.hooks)
        seconds = {one.event: float(one.fields["timeout"]) for one in ours if "timeout" in one.fields}
        return {**seconds, ROUNDS: float(self.loops)} if self.loops else seconds

    def diff(self) -> str:
        """The change as people read changes."""
        name = str(self.before.path)
        old, new = ((one.text or "").splitlines(keepends=True) for one in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, fromfile=name, tofile=name))


def plan_install(
    places: SettingsPlaces,
    scope: Scope,
    installed: Installation,
    hooks: Iterable[Hook] = (),
    *,
    version: str = "",
    loops: int | None = None,
    rules: Sequence[str] = (),
    token: str = "",
) -> Plan:
    """What installing would make of a scope's file; raise SettingsError where it would not help."""
    before = read_settings(places.file(scope))
    _check(before)
    command, arguments = str(installed.shim), installed.arguments(HOST, token)
    launcher = None
    if scope.shared:
        if installed.home is not None:
            raise SettingsError(
                f"other users read the {scope} settings, and they do not have your INTERLOCK_HOME; unset it"
            )
        launcher, arguments = places.launcher(scope), [HOST]  # what others read would be no secret
        # In a project the path differs from one checkout to the next; the client fills it in.
        command = str(launcher) if scope is Scope.MANAGED else f"${{CLAUDE_PROJECT_DIR}}/.claude/{LAUNCHER}"
    after = before.with_hooks(merge_entries(before.hooks, our_handlers(command, arguments, hooks, version)))
    if scope is Scope.MANAGED:
        after = with_variable(after, UNHOOKING, "")  # set by a project, it would switch off even these
    if loops:
        after = with_variable(after, _CAP, str(loops + 1))  # one is left for hooks that are not ours
    return Plan(before=before, after=with_rules(after, rules), launcher=launcher, loops=loops)


def plan_uninstall(
    places: SettingsPlaces, scope: Scope, *, loops: int | None = None, rules: Sequence[str] = ()
) -> Plan:
    """What is left of a scope's file without us: its old text where nothing else has changed."""
    before = read_settings(places.file(scope))
    launcher = places.launcher(scope) if scope.shared else None
    if not find_ours(before.hooks):
        return Plan(before=before, after=before, launcher=launcher)
    hooks = remove_entries(before.hooks)
    bare = before.with_hooks(hooks)
    if scope is Scope.MANAGED:
        bare = without_variable(bare, UNHOOKING, "")
    if loops:
        bare = without_variable(bare, _CAP, str(loops + 1))
    left = without_rules(bare, rules)
    # Rules that were there before us are not ours.
    after = _before_us(bare) or _before_us(left) or left.unless_empty()
    return Plan(before=before, after=after, launcher=launcher)


def carry_out(plan: Plan, now: datetime) -> Path | None:
    """Write the plan; give the backup that was made, if the file was there and changes."""
    if not plan.changes:
        return None
    backup = back_up(plan.before.path, now)
    if plan.after.text is None:
        plan.before.path.unlink()
    else:
        write_settings(plan.after, mode=_SHARED if plan.launcher else _OWN)
    return backup


def launcher_text() -> bytes:
    """The script that runs the shim of whoever works in a project."""
    return bundled_file("hosts/claude_code/launcher.sh").read_bytes()


def _check(settings: Settings) -> None:
    """A file the client skips would take our entries with it, and nobody would notice."""
    if voids := find_voids(settings.document):
        raise SettingsError(
            f"Claude Code skips the whole of `{settings.path}`: {voids[0].path}: {voids[0].message}; "
            f"correct it first (`interlock lint-settings {settings.path}` names everything)"
        )


def _before_us(after: Settings) -> Settings | None:
    """The text from before the installation, if what is left means the same."""
    wanted = _meaning(after)
    for backup in backups(after.path):
        try:
            old = read_settings(backup)
        except SettingsError:
            continue
        if _meaning(old) == wanted:
            return Settings(path=after.path, text=old.text, document=old.document)
    return None


def _meaning(settings: Settings) -> str:
    """The document in order, without lists of hooks that hold none."""
    hooks = {event: groups for event, groups in settings.hooks.items() if groups}
    rest = {key: value for key, value in settings.document.items() if key != _HOOKS or hooks}
    return json.dumps({**rest, **({_HOOKS: hooks} if hooks else {})})
