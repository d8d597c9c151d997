"""What the doctor looks at in hooks and the ledger: plugins, double hooks, failures, and who called."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from interlock.cli.ledger import connected
from interlock.cli.output import short
from interlock.cli.policy_source import here, load
from interlock.cli.setup.doctor_checks import actor_checks
from interlock.errors import InterlockError, StoreError
from interlock.hosts.claude_code.import_hooks import doubled_hooks
from interlock.hosts.claude_code.settings import Scope, Settings
from interlock.hosts.host import Check, Host, ok, warn
from interlock.policy.compile.hook_catalog import plugin_kinds
from interlock.search.recent_calls import HookFailures, RecentCalls, recent_calls
from interlock.store.clock import timestamp
from interlock.store.errors import explain

_SHOWN: Final = 5
_DAY: Final = 24 * 60 * 60
_VERIFY: Final = "interlock ledger verify"


def check_plugins() -> Iterator[Check]:
    """Installed plugins can be imported, and their names are their own."""
    for kind in plugin_kinds():
        if kind.problem:
            yield warn("plugin", kind.problem, "correct the plugin, or uninstall it with pip")
        else:
            yield ok("plugin", f"{kind.type} of {kind.origin}")


def check_doubles(settings: Mapping[Scope, Settings], project: Path) -> Iterator[Check]:
    """No hook stands in an agent's settings and in the policy too, where it would run twice."""
    try:
        hooks = load([]).hooks
    except InterlockError:
        return  # the check of the policy reports it
    for scope, one in settings.items():
        doubled = doubled_hooks(one, scope, project, hooks)
        if doubled:
            run = "run twice: Claude Code runs them, and so does your policy"
            detail = f"{', '.join(doubled)} in {one.path} {run}"
            yield warn("double hooks", detail, f"interlock import claude-code --scope {scope} --remove-old")


def check_history(host: Host, *, installed: bool) -> Iterator[Check]:
    """What the ledger tells: agents do call us, no hook failed lately, and whoever acts has permissions."""
    found = RecentCalls()
    try:
        if here().database.exists():
            with connected() as connection:
                found = recent_calls(connection, since=timestamp(time.time() - _DAY))
    except (StoreError, sqlite3.Error) as error:
        said = str(error) if isinstance(error, StoreError) else f"it cannot be read: {explain(error)}"
        yield warn("ledger", said, _VERIFY)
        return
    if installed and found.last is None:
        detail = f"the hooks never fired: no session of {host.title} has called Interlock yet"
        yield warn("calls", detail, f"start `{host.program}`; restart sessions that are open")
    elif found.last is not None:
        yield ok("calls", f"the last one was at {found.last}")
    if not found.failures:
        yield ok("hooks", "no failures in the last 24 hours")
    for one in found.failures[:_SHOWN]:
        yield warn(
            "hooks", _describe(one), f"interlock ledger list --rule {one.hook}, then fix or disable it"
        )
    yield from _check_actors_seen(found)


def _describe(one: HookFailures) -> str:
    times = "once" if one.count == 1 else f"{one.count} times"
    when = f"{times} in the last 24 hours, last at {one.last}"
    return f"`{one.hook}` ({one.type}) failed {when}: {short(one.reason)}"


def _check_actors_seen(found: RecentCalls) -> Iterator[Check]:
    try:
        policy = load([])
    except InterlockError:
        return  # the check of the policy reports it
    known = {policy.actors.main, *policy.actors.subagents.values()}
    for actor in sorted(found.actors - known):
        yield from actor_checks(policy, actor, ", which acted in the last 24 hours")
